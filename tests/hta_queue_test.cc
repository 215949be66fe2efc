// Tests queues and copies against HTA's, point by point.
//
// HTA averages over events, we over time. So its series, where there is one, is averaged over time
// here, and compared with what we answer; and HTA's own averages are worked out anew from our
// facts. HTA's sort leaves the order of events at one time to chance: an average over events may
// differ by what that order changes, and no more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "facts/steps/steps.h"
#include "session/load.h"
#include "stepscope/session.h"
#include "tests/answer.h"
#include "tests/shared_data.h"

namespace stepscope::testing::hta_queue_test {
namespace {

struct HtaSet {
  const char *name, *trace, *steps = "all";
  bool fractional = false;  // times are only as exact as doubles of 1.7e15 us
};

constexpr HtaSet kSets[] = {
    {"queue_length", "hta/queue_length", "550..553"},
    {"two_ranks", "hta/two_ranks", "551"},
    {"trace_diff__control", "hta/trace_diff/control", "1009..1013"},
    {"trace_diff__test", "hta/trace_diff/test", "1009..1013"},
    {"kineto_resnet50_workers0_a",
     "kineto/resnet50_workers0/worker0.1623143089861.pt.trace.json.gz", "5..9"},
    {"kineto_resnet50_workers0_b",
     "kineto/resnet50_workers0/worker0.1623143566756.pt.trace.json.gz", "16..20"},
    {"execution_trace", "hta/execution_trace/trace.json.gz"},
    {"critical_path__alexnet", "hta/critical_path/alexnet"},
    {"critical_path__cuda_event_sync", "hta/critical_path/cuda_event_sync"},
    {"critical_path__simple_add", "hta/critical_path/simple_add"},
    {"dlrm_8ranks", "param/dlrm_8ranks"},
    {"amd_mi250", "hta/amd_mi250", "all", true},
    {"h100_bert", "torch2/h100_bert", "all", true},
    {"h100_qwen", "torch2/h100_qwen", "all", true},
    {"b200_eager", "torch2/b200_eager", "all", true},
    {"sglang_decode", "torch2/sglang_decode", "all", true},
    {"nccl", "hta/nccl", "4..5", true},
    {"ns_resolution", "hta/ns_resolution", "101..104", true},
    {"mi300_resnet_act_checkpoint", "torch2/mi300_resnet_act_checkpoint", "15..17", true},
    {"torch_compile_triton", "torch2/torch_compile_triton", "all", true},
    {"triton", "hta/triton", "all", true},
};

// Calls that HTA does not take for launches: the work they launch is in none of its queues.
const std::set<std::string_view> kUnknownToHta = {"cudaGraphLaunch", "hipGraphLaunch",
                                                  "hipModuleLaunchKernel", "hipExtLaunchKernel"};

// The streams that have such work. Their queues are compared over events, without that work.
struct LaunchedOtherwise {
  std::string_view set;
  int64_t stream;
};
constexpr LaunchedOtherwise kLaunchedOtherwise[] = {
    {"queue_length", 7},         {"trace_diff__test", 7},
    {"sglang_decode", 3},        {"mi300_resnet_act_checkpoint", 4},
    {"torch_compile_triton", 0},
};

void PrintTo(const HtaSet& set, std::ostream* out) { *out << set.name; }

using HtaRow = std::map<std::string, std::string>;

// A step function, as HTA lists it: points by time, several at one time.
struct Point {
  double time = 0;  // ns
  double level = 0;
};

struct OverTime {
  double mean = 0, max = 0, at_limit = 0, above_zero = 0, integral = 0;
};

OverTime Weigh(const std::vector<Point>& points, double limit) {
  OverTime o;
  constexpr double kResidue = 1e-6;  // what float sums leave of levels that cancel
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    const double lasts = points[i + 1].time - points[i].time;
    if (lasts <= 0) continue;
    o.integral += points[i].level * lasts;
    o.max = std::max(o.max, points[i].level);
    if (points[i].level >= limit) o.at_limit += lasts;
    if (points[i].level > kResidue) o.above_zero += lasts;
  }
  const double span = points.back().time - points.front().time;
  o.mean = span > 0 ? o.integral / span : 0;
  return o;
}

// What HTA's describe() says of the level after each event.
struct OverEvents {
  double count = 0, mean = 0;
  double slack = 0;  // of the mean: what the order of events at one time can change
};

OverEvents DescribeEvents(std::vector<std::pair<int64_t, int>> events) {
  std::ranges::sort(events, std::ranges::less{}, [](const auto& e) {
    return std::pair(e.first, -e.second);  // rises first
  });
  OverEvents o;
  double level = 0, sum = 0, slack = 0;
  for (size_t i = 0; i < events.size();) {
    double rises = 0, falls = 0;
    const int64_t time = events[i].first;
    for (; i < events.size() && events[i].first == time; ++i) {
      (events[i].second > 0 ? rises : falls) += 1;
      sum += level += events[i].second;
    }
    slack += 2 * rises * falls;
  }
  o.count = static_cast<double>(events.size());
  o.mean = sum / o.count;
  o.slack = slack / o.count;
  return o;
}

struct RatesOverEvents {
  int64_t count = 0, ties = 0;
  double mean = 0, max = 0;  // GB/s
};

class HtaQueueTest : public SharedDataTest, public ::testing::WithParamInterface<HtaSet> {
 protected:
  void SetUp() override {
    SharedDataTest::SetUp();
    if (IsSkipped()) return;
    Ask("5");
  }

  // Answers for queues that are full at `limit`.
  void Ask(const std::string& limit) {
    const std::vector<std::string> paths = {Shared("traces") / set().trace};
    const auto session = Session::Open(paths, {.analyses = {"queue_length", "memory_bandwidth"}});
    ASSERT_TRUE(session);
    auto answer = session->Analyze({.only = {"queue_length", "memory_bandwidth"},
                                    .steps = set().steps,
                                    .params = {{"queue_length.max_queue_length", limit}}});
    ASSERT_TRUE(answer);
    answer_ = *std::move(answer);
  }

  static bool IsLaunchedOtherwise(int64_t stream) {
    return std::ranges::any_of(kLaunchedOtherwise, [&](const LaunchedOtherwise& l) {
      return l.set == set().name && l.stream == stream;
    });
  }

  static const HtaSet& set() { return GetParam(); }

  static std::filesystem::path Golden(const std::string& file) {
    return Shared("goldens/hta") / set().name / (file + ".csv");
  }

  // HTA calls the rank of a single trace 0, whatever it is.
  int64_t HtaRank(int64_t rank) const { return answer_.run.ranks == 1 ? 0 : rank; }

  std::vector<std::string> PathsOfRun() const {
    std::vector<std::string> paths;
    for (const InputFile& file : answer_.run.files) paths.push_back(file.path);
    return paths;
  }

  // By rank and stream. Rows begin with rank, stream, count, mean, behind one to three lines of
  // headers; the number of those tells nothing else.
  static std::map<std::pair<int64_t, int64_t>, OverEvents> SummaryOfQueues() {
    std::map<std::pair<int64_t, int64_t>, OverEvents> summary;
    std::ifstream in(Golden("queue_length_summary"));
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      int64_t rank = 0, stream = 0;
      char comma = 0;
      OverEvents o;
      if (fields >> rank >> comma >> stream >> comma >> o.count >> comma >> o.mean) {
        summary[{rank, stream}] = o;
      }
    }
    return summary;
  }

  // By rank and kind.
  static std::map<std::pair<int64_t, std::string>, RatesOverEvents> SummaryOfCopies() {
    std::map<std::pair<int64_t, std::string>, RatesOverEvents> summary;
    std::ifstream in(Golden("memory_bw_summary"));
    for (std::string line; std::getline(in, line);) {
      std::ranges::replace(line, ',', '\t');
      std::istringstream fields(line);
      std::string rank, name, count, mean, deviation, least, p25, p50, p75, max;
      for (std::string* field :
           {&rank, &name, &count, &mean, &deviation, &least, &p25, &p50, &p75, &max})
        std::getline(fields, *field, '\t');
      if (!name.starts_with("Mem")) continue;  // a header
      summary[{std::stoll(rank), name}] = {.count = static_cast<int64_t>(std::stod(count)),
                                           .mean = std::stod(mean),
                                           .max = std::stod(max)};
    }
    return summary;
  }

  ReportSet answer_;
};

TEST_P(HtaQueueTest, QueuesOverTime) {
  for (const Row& row : RowsOf(answer_, "queue_length", "streams")) {
    const int64_t rank = HtaRank(row.Int("rank"));
    if (IsLaunchedOtherwise(row.Int("stream"))) continue;
    const auto file = Golden(fmt::format("queue_length_time_series.rank{}", rank));
    if (!std::filesystem::exists(file)) continue;
    std::vector<Point> points;
    for (const HtaRow& theirs : ReadCsv(file)) {
      if (std::stoll(theirs.at("stream")) != row.Int("stream")) continue;
      points.push_back({std::stod(theirs.at("ts")) * 1000, std::stod(theirs.at("queue_length"))});
    }
    const std::string where = fmt::format("rank {} stream {}", rank, row.Int("stream"));
    EXPECT_EQ(static_cast<int64_t>(points.size()),
              2 * (row.Int("operations") - row.Int("without_launch")))
        << where;
    if (points.empty()) continue;
    const OverTime theirs = Weigh(points, 5);
    const double each = set().fractional ? 250 : 0;  // ns, of a time
    const double all = each * static_cast<double>(points.size());
    const double span = points.back().time - points.front().time;
    EXPECT_NEAR(row.Real("waiting_mean"), theirs.mean, all / span + 1e-9) << where;
    EXPECT_NEAR(static_cast<double>(row.Int("waiting_max")), theirs.max, 0) << where;
    EXPECT_NEAR(static_cast<double>(row.Int("waiting_at_limit")), theirs.at_limit, all) << where;
  }
}

// HTA keeps one stream of each rank.
TEST_P(HtaQueueTest, TimeBlockedOnFullQueues) {
  for (const char* limit : {"5", "1024"}) {
    const auto file = Golden(fmt::format("time_blocked_on_full_queue.{}", limit));
    if (!std::filesystem::exists(file)) continue;
    const auto rows = ReadCsv(file);
    Ask(limit);
    for (const Row& row : RowsOf(answer_, "queue_length", "streams")) {
      for (const HtaRow& theirs : rows) {
        const int64_t stream = std::stoll(theirs.at("stream"));
        if (HtaRank(row.Int("rank")) != std::stoll(theirs.at("rank")) ||
            row.Int("stream") != stream || IsLaunchedOtherwise(stream)) {
          continue;
        }
        const double tolerance =  // a launch and a start, or two of them, may change places
            set().fractional ? 500 * static_cast<double>(row.Int("operations")) : 0.01;
        EXPECT_NEAR(static_cast<double>(row.Int("waiting_at_limit")),
                    std::stod(theirs.at("duration_at_max_queue_length")) * 1000, tolerance)
            << "stream " << stream << " limit " << limit;
      }
    }
  }
}

TEST_P(HtaQueueTest, QueuesOverEvents) {
  std::map<std::pair<int64_t, int64_t>, std::vector<std::pair<int64_t, int>>> events;
  auto run = LoadRun({PathsOfRun()}, kRankActivityNeeds, {});
  ASSERT_TRUE(run);
  for (const RankActivity& all : run->ranks) {
    const RankActivity rank = SelectSteps(all, *ParseSteps(set().steps));
    for (const Activity& activity : rank.activities) {
      const auto call = rank.CallOf(activity);
      if (!call || kUnknownToHta.contains(run->names[call->name])) continue;
      auto& of = events[{HtaRank(rank.rank), rank.streams[activity.stream].stream}];
      of.emplace_back(activity.launched, 1);
      of.emplace_back(activity.start, -1);
    }
  }
  for (const auto& [key, theirs] : SummaryOfQueues()) {
    const std::string where = fmt::format("rank {} stream {}", key.first, key.second);
    const OverEvents ours = DescribeEvents(events[key]);
    EXPECT_EQ(ours.count, theirs.count) << where;
    EXPECT_NEAR(ours.mean, theirs.mean, ours.slack + 1e-9) << where;
    events.erase(key);
  }
  EXPECT_TRUE(events.empty());
}

TEST_P(HtaQueueTest, CopiesOverTime) {
  for (const Row& row : RowsOf(answer_, "memory_bandwidth", "kinds")) {
    const int64_t rank = HtaRank(row.Int("rank"));
    const auto file = Golden(fmt::format("memory_bw_time_series.rank{}", rank));
    if (!std::filesystem::exists(file)) continue;
    const std::string& kind = row.Text("kind");
    const std::string name = kind == "memset" ? "Memset" : "Memcpy " + kind;
    std::vector<Point> points;
    for (const HtaRow& theirs : ReadCsv(file)) {
      if (theirs.at("name") != name) continue;
      points.push_back({std::stod(theirs.at("ts")) * 1000, std::stod(theirs.at("memory_bw_gbps"))});
    }
    const std::string where = fmt::format("rank {} {}", rank, name);
    EXPECT_EQ(static_cast<int64_t>(points.size()), 2 * row.Int("copies")) << where;
    if (points.empty()) continue;
    const OverTime theirs = Weigh(points, 1e9);
    if (!row.Has("max")) {  // the trace says neither rate nor bytes: 0 to HTA
      EXPECT_EQ(theirs.max, 0) << where;
      continue;
    }
    const auto busy = static_cast<double>(row.Int("busy"));
    // Our rates are whole bytes per second.
    const double rounding = 1e-9;
    const double each = set().fractional ? 250 * static_cast<double>(points.size()) : 0.01;
    EXPECT_NEAR(busy, theirs.above_zero, each) << where;
    EXPECT_NEAR(row.Real("max") / 1e9, theirs.max, rounding) << where;
    EXPECT_NEAR(row.Real("mean") * busy / 1e9, theirs.integral,
                rounding * busy + each * theirs.max + theirs.integral * 1e-12)
        << where;
  }
}

// The points above 0 of a sum of bandwidths, as HTA describes them. Where one copy ends as another
// begins, the order of the two decides whether there is such a point: `ties`.
struct Rates {
  std::vector<std::pair<int64_t, int64_t>> changes;  // ns, bytes per second

  void Add(const Activity& activity, const Copy& copy) {
    const int64_t rate = std::llround(std::max(copy.bandwidth, 0.0));
    constexpr int64_t kLeast = 1000;  // HTA takes a copy of no length to last a microsecond
    changes.emplace_back(activity.start, rate);
    changes.emplace_back(activity.duration() == 0 ? activity.start + kLeast : activity.end, -rate);
  }
};

RatesOverEvents Describe(Rates rates) {
  std::ranges::sort(rates.changes);  // falls first
  RatesOverEvents o;
  int64_t level = 0;
  double sum = 0;
  for (size_t i = 0; i < rates.changes.size(); ++i) {
    const auto& [time, change] = rates.changes[i];
    level += change;
    const bool tie = i > 0 && rates.changes[i - 1].first == time;
    if (tie && (rates.changes[i - 1].second < 0) != (change < 0)) ++o.ties;
    if (level <= 0) continue;
    ++o.count;
    sum += static_cast<double>(level) / 1e9;
    o.max = std::max(o.max, static_cast<double>(level) / 1e9);
  }
  o.mean = o.count > 0 ? sum / static_cast<double>(o.count) : 0;
  return o;
}

TEST_P(HtaQueueTest, CopiesOverEvents) {
  std::map<std::pair<int64_t, std::string>, Rates> rates;
  auto run = LoadRun({PathsOfRun()}, kRankActivityNeeds, {});
  ASSERT_TRUE(run);
  for (const RankActivity& all : run->ranks) {
    const RankActivity rank = SelectSteps(all, *ParseSteps(set().steps));
    for (const Activity& activity : rank.activities) {
      if (!IsMemory(activity.kind) || activity.detail == kNoDetail) continue;
      const Copy& copy = rank.copies[static_cast<size_t>(activity.detail)];
      const std::string name =
          copy.path == CopyPath::kSet ? "Memset" : "Memcpy " + std::string(CopyPathName(copy.path));
      rates[{HtaRank(rank.rank), name}].Add(activity, copy);
    }
  }
  for (const auto& [key, theirs] : SummaryOfCopies()) {
    const std::string where = fmt::format("rank {} {}", key.first, key.second);
    const RatesOverEvents ours = Describe(rates[key]);
    rates.erase(key);
    if (set().name == std::string_view("trace_diff__test") && key.second == "Memcpy DtoD") {
      // 36 times one copy begins as another ends, and HTA's float sums leave 1602 residues above 0.
      EXPECT_EQ(ours.ties, 36);
      EXPECT_GE(theirs.count - 1602, ours.count);
      EXPECT_LE(theirs.count - 1602, ours.count + ours.ties);
      continue;
    }
    EXPECT_EQ(ours.ties, 0) << where;
    EXPECT_EQ(ours.count, theirs.count) << where;
    EXPECT_NEAR(ours.mean, theirs.mean, 1e-9) << where;
    EXPECT_NEAR(ours.max, theirs.max, 1e-9) << where;
  }
  // Of a rate that the trace does not give HTA has no row.
  for (const auto& [key, left] : rates) EXPECT_EQ(Describe(left).count, 0) << key.second;
}

std::string TestName(const ::testing::TestParamInfo<HtaSet>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Hta, HtaQueueTest, ::testing::ValuesIn(kSets), TestName);

}  // namespace
}  // namespace stepscope::testing::hta_queue_test
