// Condenses traces, and asks the partials what was asked of the traces.
#include "stepscope/partials.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "base/random.h"
#include "stepscope/demo.h"
#include "stepscope/export.h"
#include "tests/front_door.h"

namespace stepscope::partials_test {
namespace {

namespace fs = std::filesystem;

// Exactly as traces; and those that say less.
const std::vector<std::string> kExact = {
    "breakdown",           "steps",       "temporal_breakdown", "kernel_breakdown",
    "kernel_distribution", "collectives", "imbalance"};
const std::vector<std::string> kOfPartials = {"overview",
                                              "breakdown",
                                              "steps",
                                              "input_pipeline",
                                              "temporal_breakdown",
                                              "comm_overlap",
                                              "idle_time",
                                              "kernel_breakdown",
                                              "kernel_distribution",
                                              "layout",
                                              "collectives",
                                              "stragglers",
                                              "imbalance",
                                              "whatif"};

void MapAll(const std::string& traces, const std::string& folder, int64_t shards) {
  for (int64_t index = 0; index < shards; ++index) {
    const auto mapped = MapRanks(std::vector{traces}, {.folder = folder, .shard = {index, shards}});
    ASSERT_TRUE(mapped.has_value()) << mapped.error().what;
  }
}

// What these analyses say, and what leads.
std::string Said(const std::string& path, const std::string& steps = "all") {
  auto answer = testing::Ask({path}, {.only = kExact, .steps = steps});
  if (!answer) return answer.error().what;
  return testing::Numbers(*answer) + std::string(answer->verdict);
}

class Partials : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  // A job of eight hosts with clocks of their own and one slow rank.
  std::string Demo(int ranks = 8, int devices = 1) const {
    DemoOptions options{.ranks = ranks, .devices = devices, .layers = 3, .stacks = false};
    options.slow_rank = ranks - 1;
    options.clock_spread = 2'000'000;
    EXPECT_TRUE(WriteDemo(Path("job"), options).has_value());
    return Path("job");
  }
  static std::string Bytes(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  const testing::ScratchFolder folder_;
};

TEST_F(Partials, AnswerAsTheTracesDo) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 3);
  EXPECT_EQ(Said(Path("part")), Said(traces));
}

// But for how devices of one rank overlap while they wait, which `breakdown` tells, and findings of
// slow kernels.
TEST_F(Partials, OfRanksWithSeveralDevicesToo) {
  const std::string traces = Demo(2, 4);
  MapAll(traces, Path("part"), 1);
  for (const std::string& only : kExact) {
    if (only == "breakdown" || only == "kernel_distribution") continue;
    EXPECT_EQ(testing::Numbers(*testing::Ask({Path("part")}, {.only = {only}})),
              testing::Numbers(*testing::Ask({traces}, {.only = {only}})))
        << only;
  }
}

TEST_F(Partials, OfSomeStepsAnswerWhatTheyCan) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 1);
  for (const char* only :
       {"breakdown", "steps", "temporal_breakdown", "collectives", "imbalance"}) {
    const AnalyzeOptions question{.only = {only}, .steps = "4..5"};
    EXPECT_EQ(testing::Numbers(*testing::Ask({Path("part")}, question)),
              testing::Numbers(*testing::Ask({traces}, question)))
        << only;
  }
  const auto sums = testing::Ask({Path("part")}, {.only = {"kernel_breakdown"}, .steps = "4"});
  EXPECT_EQ(sums->reports.front().status, Status::kUnavailable);
}

TEST_F(Partials, AreTheSameForAnyShardsAndMerges) {
  const std::string traces = Demo();
  MapAll(traces, Path("one"), 1);
  MapAll(traces, Path("four"), 4);
  const auto shard = [&](int i) {
    return fmt::format("{}/shard-{:05}-of-00004.ranks.parquet", Path("four"), i);
  };
  const std::string left = Path("left.ranks.parquet"), right = Path("right.ranks.parquet");
  ASSERT_TRUE(MergePartials(std::vector{shard(3), shard(1)}, left));
  ASSERT_TRUE(MergePartials(std::vector{shard(2), shard(0)}, right));
  const auto bytes = [&](const std::vector<std::string>& from, const std::string& name) {
    EXPECT_TRUE(MergePartials(from, Path(name)));
    return Bytes(Path(name));
  };
  const std::string all = bytes({left, right}, "lr.ranks.parquet");
  EXPECT_EQ(all, bytes({right, left}, "rl.ranks.parquet"));
  EXPECT_EQ(all, bytes({Path("one")}, "of_one.ranks.parquet"));
  EXPECT_EQ(Said(Path("lr.ranks.parquet")), Said(Path("four")));
  EXPECT_EQ(Said(Path("one")), Said(Path("four")));
}

TEST_F(Partials, AnswerOnlyWhatTheyHold) {
  MapAll(Demo(2), Path("part"), 1);
  const auto all = testing::Ask({Path("part")});
  std::vector<std::string> names;
  for (const Report& report : all->reports) names.push_back(report.analysis);
  EXPECT_EQ(names, kOfPartials);
  const auto asked = testing::Ask({Path("part")}, {.only = {"operators"}});
  EXPECT_TRUE(asked->reports.front().why.str().starts_with(
      "partials hold collectives, steps and sums alone: ask the trace of the rank in question (of "
      "rank 0: stepscope analyze "));
}

// A slow host of four ranks, one of eight hosts, and a rank whose kernels are slow.
DemoOptions SlowHost() {
  DemoOptions options{.ranks = 32, .steps = 6, .slow_rank = 9, .layers = 2, .stacks = false};
  options.ranks_per_host = 4;
  options.slow_host = 5;
  options.clock_spread = 2'000'000;
  return options;
}

// Who is named first, or why nobody is.
std::string Blamed(const std::string& path, std::string_view name) {
  const auto answer = testing::Ask({path}, {.only = {std::string(name)}});
  if (!answer) return answer.error().what;
  const auto& findings = answer->reports.front().findings;
  if (findings.empty()) return "nobody";
  const std::string message = findings.front().message.str();
  return message.substr(0, message.find(':'));
}

TEST_F(Partials, BlameTheRanksThatTheTracesBlame) {
  ASSERT_TRUE(WriteDemo(Path("hosts"), SlowHost()).has_value());
  MapAll(Path("hosts"), Path("part"), 2);
  const char* const those =
      "Ranks 20 to 23 of host host-0005 and rank 9 of host host-0002 together hold the job up";
  EXPECT_EQ(Blamed(Path("part"), "whatif"), those);
  EXPECT_EQ(Blamed(Path("hosts"), "whatif"), those);
}

TEST_F(Partials, NameTheStragglerThatTheTracesName) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 1);
  EXPECT_EQ(Blamed(Path("part"), "stragglers"),
            "Rank 7 is a straggler in every recorded step (3 to 6)");
  EXPECT_EQ(Blamed(traces, "stragglers"), "Rank 7 is a straggler in every recorded step (3 to 6)");
}

// The step time of a replay without changes, and what it saves to mend the slow host.
TEST_F(Partials, ReplayAsTheTracesDo) {
  ASSERT_TRUE(WriteDemo(Path("job"), SlowHost()).has_value());
  MapAll(Path("job"), Path("part"), 1);
  const auto saved = [&](const std::string& path) {
    const auto answer = testing::Ask({path}, {.only = {"whatif"}});
    const auto& findings = answer->reports.front().findings;
    const bool priced = !findings.empty() && findings.front().worth;
    return priced ? static_cast<double>(findings.front().worth->saved) : 0.0;
  };
  const double traces = saved(Path("job"));
  EXPECT_GT(traces, 1e6);
  EXPECT_NEAR(saved(Path("part")), traces, 0.05 * traces);
}

TEST_F(Partials, DoNotTellWhatNeedsTraces) {
  MapAll(Demo(2), Path("part"), 1);
  const auto asked = testing::Ask(
      {Path("part")}, {.only = {"whatif"}, .params = {{"whatif.set", "kernel gemm: gone"}}});
  ASSERT_TRUE(asked.has_value()) << asked.error().what;
  EXPECT_EQ(asked->reports.front().why.str(),
            "'kernel gemm: gone' concerns nothing: partials do not tell: ask the traces");
}

TEST_F(Partials, AreNotReadBesideTheTracesOfTheirRanks) {
  const std::string traces = Demo(2);
  MapAll(traces, traces, 1);
  const auto both = testing::Ask({traces});
  ASSERT_FALSE(both.has_value());
  EXPECT_TRUE(both.error().what.starts_with("rank 0 is a partial and a trace: "))
      << both.error().what;
  EXPECT_EQ(both.error().hint, "give the partials, or the traces");
}

TEST_F(Partials, OfTracesThatEndEarlySaySoFirst) {
  const std::string traces = Demo(4);
  fs::resize_file(traces + "/rank-1.pt.trace.json.gz",
                  fs::file_size(traces + "/rank-1.pt.trace.json.gz") / 2);
  MapAll(traces, Path("part"), 1);
  const auto answer = testing::Ask({Path("part")});
  EXPECT_TRUE(answer->verdict.contains("1 file ends early")) << answer->verdict.str();
  EXPECT_TRUE(answer->verdict.contains("rank 1")) << answer->verdict.str();
}

TEST_F(Partials, OfTwoJobsInOneDirectoryAreRefused) {
  MapAll(Demo(2), Path("part"), 1);
  fs::remove_all(Path("job"));
  EXPECT_TRUE(WriteDemo(Path("job"), {.ranks = 2, .seed = 7, .slow_rank = 1, .layers = 2}));
  MapAll(Path("job"), Path("part"), 2);
  const auto both = testing::Ask({Path("part")});
  ASSERT_FALSE(both.has_value());
  EXPECT_TRUE(both.error().what.starts_with("rank 0 has two partials, which differ"))
      << both.error().what;
}

// But for the table of gaps one by one.
TEST_F(Partials, TellWhyStreamsWereIdle) {
  const std::string traces = Demo(2);
  MapAll(traces, Path("part"), 1);
  const AnalyzeOptions question{.only = {"idle_time"}};
  auto of_traces = testing::Ask({traces}, question);
  auto of_partials = testing::Ask({Path("part")}, question);
  std::erase_if(of_traces->reports.front().tables,
                [](const Table& table) { return table.key == "intervals"; });
  of_partials->reports.front().notes.clear();
  EXPECT_EQ(testing::Numbers(*of_partials), testing::Numbers(*of_traces));
  const auto other = testing::Ask(
      {Path("part")},
      {.only = {"idle_time"}, .params = {{"idle_time.consecutive_kernel_delay", "1000"}}});
  EXPECT_EQ(other->reports.front().status, Status::kUnavailable);
}

// What was done once before the first step leads in both.
TEST_F(Partials, TellWhatWasBeforeTheFirstStep) {
  std::vector<std::string> events = {
      R"({"ph":"X","cat":"cuda_runtime","name":"cudaFree","pid":1,"tid":1,"ts":0,"dur":80000})"};
  for (int step = 1; step < 4; ++step) {
    const int at = 90000 + step * 20000;
    events.push_back(fmt::format(
        R"({{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{0}","pid":1,"tid":1,"ts":{1},)"
        R"("dur":20000}},{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,)"
        R"("ts":{2},"dur":10,"args":{{"correlation":{0}}}}},{{"ph":"X","cat":"kernel","name":"gemm",)"
        R"("pid":0,"tid":7,"ts":{3},"dur":19000,"args":{{"device":0,"stream":7,"correlation":{0}}}}})",
        step, at, at + 50, at + 100));
  }
  const std::string trace = folder_.Write("job/rank0.json", testing::DocumentOfRank(0, events));
  MapAll(trace, Path("part"), 1);
  const auto of_traces = testing::Ask({trace}), of_partials = testing::Ask({Path("part")});
  EXPECT_TRUE(
      of_traces->verdict.contains("Before the first complete step: 80.0 ms of one-time work"))
      << of_traces->verdict.str();
  EXPECT_TRUE(of_partials->verdict.contains(of_traces->verdict.str()))
      << of_partials->verdict.str();
}

TEST_F(Partials, OfProcessesWithSeveralDevicesAccuseNobody) {
  MapAll(Demo(2, 4), Path("part"), 1);
  const auto answer = testing::Ask({Path("part")}, {.only = {"stragglers", "whatif"}});
  EXPECT_EQ(answer->reports[0].status, Status::kUnavailable);
  EXPECT_EQ(answer->reports[1].status, Status::kUnavailable);
}

// What hosts did before each launch is in no partial: of devices that mostly wait nothing is
// replayed.
TEST_F(Partials, OfHostsThatDevicesWaitForAreNotReplayed) {
  EXPECT_TRUE(
      WriteDemo(Path("job"), {.ranks = 2, .slow_rank = -1, .host_gap_fraction = 0.7, .layers = 2}));
  MapAll(Path("job"), Path("part"), 1);
  const auto answer = testing::Ask({Path("part")}, {.only = {"whatif"}});
  EXPECT_EQ(answer->reports.front().why.str(),
            "partials tell too little of these ranks for a replay: ask the traces");
}

TEST_F(Partials, OfSomeStepsSayWhatTheirHostsDid) {
  const std::string traces = Demo();
  MapAll(traces, Path("part"), 1);
  const AnalyzeOptions question{.only = {"stragglers"}, .steps = "5"};
  const auto reasons = [&](const std::string& path) {
    const auto answer = testing::Ask({path}, question);
    const auto& tables = answer->reports.front().tables;
    const auto table = std::ranges::find(tables, "reasons", &Table::key);
    std::string inputs;
    const auto column = std::ranges::find(table->columns, "input", &Column::key);
    for (const auto& row : table->rows) {
      const Cell& cell = row[static_cast<size_t>(column - table->columns.begin())];
      inputs += fmt::format("{} ", std::get<int64_t>(cell));
    }
    return inputs;
  };
  EXPECT_EQ(reasons(Path("part")), reasons(traces));
}

// Blocks of work are no kernels: nothing shows them as such.
TEST_F(Partials, HoldNoEvents) {
  MapAll(Demo(2), Path("part"), 1);
  const std::vector<std::string> paths = {Path("part")};
  auto session = Session::Open(paths, {.keep_events = true});
  ASSERT_TRUE(session.has_value());
  EXPECT_EQ(session->ReadEvents(0).error().what, "partials hold no events");
  EXPECT_EQ(session->TakeTimeline().error().what, "partials hold no events");
  EXPECT_EQ(Export(paths, {.folder = Path("out")}).error().what, "partials hold no events");
  EXPECT_FALSE(fs::exists(Path("out")));
}

TEST_F(Partials, AreMadeOnce) {
  const std::vector<std::string> traces = {Demo(2)};
  const MapOptions options{.folder = Path("part")};
  const auto again = [&] {
    const auto mapped = MapRanks(traces, options);
    return mapped && mapped->reports.front().headline.contains("already");
  };
  EXPECT_FALSE(again());
  EXPECT_TRUE(again());
  folder_.Write("job/rank-1.pt.trace.json.gz", testing::DocumentOfRank(1, testing::Kernels(3)));
  EXPECT_FALSE(again());
}

TEST_F(Partials, LeaveOutWhatIsNoTraceAndSaySo) {
  const std::vector<std::string> traces = {Demo(3)};
  folder_.Write("job/rank-1.pt.trace.json.gz", "");
  const auto mapped = MapRanks(traces, {.folder = Path("part")});
  ASSERT_TRUE(mapped.has_value());
  const Report& report = mapped->reports.front();
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes.front().name, "no_traces");
  EXPECT_EQ(report.notes.front().count, 2);  // truth.json is none either
  // Which rank is missing leads.
  const auto answer = testing::Ask({Path("part")});
  EXPECT_TRUE(answer->verdict.contains("rank 1 has no trace")) << answer->verdict.str();
}

TEST_F(Partials, OfWhichSomeAreMissingAreCounted) {
  MapAll(Demo(4), Path("part"), 4);
  fs::remove(Path("part") + "/shard-00002-of-00004.ranks.parquet");
  EXPECT_EQ(MissingShards(Path("part"), 4).value(), std::vector<int64_t>{2});
  EXPECT_FALSE(MissingShards(Path("nowhere"), 4).has_value());
}

// Shards without traces, or with files alone that are none, leave files that say so: nothing is
// missing then, or incomplete.
TEST_F(Partials, OfFewerTracesThanShardsAreAll) {
  const std::string traces = Demo(2);  // and truth.json
  MapAll(traces, Path("part"), 5);
  EXPECT_EQ(MissingShards(Path("part"), 5).value(), std::vector<int64_t>{});
  MapAll(traces, Path("one"), 1);
  const auto of_five = testing::Ask({Path("part")}), of_one = testing::Ask({Path("one")});
  EXPECT_EQ(of_five->verdict.str(), of_one->verdict.str());
  EXPECT_EQ(testing::Numbers(*of_five), testing::Numbers(*of_one));
  EXPECT_EQ(testing::NoteCount(*of_five, "unreadable"), 0);
  const std::vector<std::string> shards = {Path("part")}, whole = {Path("one")};
  ASSERT_TRUE(MergePartials(shards, Path("five.ranks.parquet")));
  ASSERT_TRUE(MergePartials(whole, Path("whole.ranks.parquet")));
  EXPECT_EQ(Bytes(Path("five.ranks.parquet")), Bytes(Path("whole.ranks.parquet")));
}

// Bytes that are gone or changed are an error, or left out with a word.
TEST_F(Partials, ThatAreDamagedAreTold) {
  MapAll(Demo(2), Path("part"), 1);
  const std::string file = Path("part") + "/shard-00000-of-00001.ranks.parquet";
  std::ifstream in(file, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const testing::ScratchFolder damaged;
  for (size_t size = 0; size < whole.size(); size += 1 + whole.size() / 100) {
    const auto answer = testing::Ask({damaged.Write("x.ranks.parquet", whole.substr(0, size))});
    EXPECT_FALSE(answer.has_value()) << size;
  }
  const auto said = [&](const std::string& bytes) {
    const auto answer = testing::Ask({damaged.Write("x.ranks.parquet", bytes)}, {.only = kExact});
    return answer ? testing::Numbers(*answer) : "";
  };
  const std::string all = said(whole);
  Random random(1, 0);
  for (int i = 0; i < 200; ++i) {
    std::string bytes = whole;
    const auto at = static_cast<size_t>(random.Below(static_cast<int64_t>(whole.size())));
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.Below(8)));
    const std::string now = said(bytes);
    EXPECT_TRUE(now.empty() || now == all) << at;  // the same: the name of what wrote the file
  }
}

// A shard that was damaged is missing, and made again.
TEST_F(Partials, ThatAreDamagedAreMadeAgain) {
  const std::string traces = Demo(2);
  MapAll(traces, Path("part"), 2);
  const std::string file = Path("part") + "/shard-00001-of-00002.ranks.parquet";
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(100) << "x";
  EXPECT_EQ(MissingShards(Path("part"), 2).value(), std::vector<int64_t>{1});
  const auto answer = testing::Ask({Path("part")});
  ASSERT_TRUE(answer.has_value());
  EXPECT_TRUE(answer->verdict.contains("1 file cannot be read")) << answer->verdict.str();
  MapAll(traces, Path("part"), 2);
  EXPECT_EQ(MissingShards(Path("part"), 2).value(), std::vector<int64_t>{});
}

// What could not be read when they were made is said where they are opened, however they were
// merged.
TEST_F(Partials, OfTracesThatCannotBeReadSaySo) {
  Demo(3);
  std::string gzip = {'\x1f', '\x8b', 8, 0, 0, 0, 0, 0, 0, 3};
  folder_.Write("job/rank-1.pt.trace.json.gz", gzip + "no deflate");
  MapAll(Path("job"), Path("part"), 1);
  ASSERT_TRUE(MergePartials(std::vector{Path("part")}, Path("all.ranks.parquet")));
  for (const std::string& path : {Path("job"), Path("part"), Path("all.ranks.parquet")}) {
    const auto answer = testing::Ask({path});
    ASSERT_TRUE(answer.has_value()) << path;
    EXPECT_TRUE(answer->verdict.contains("1 file cannot be read")) << answer->verdict.str();
    const auto& notes = answer->run.notes;
    const auto note = std::ranges::find(notes, "unreadable", &Note::name);
    ASSERT_TRUE(note != notes.end()) << path;
    EXPECT_EQ(note->where, Path("job/rank-1.pt.trace.json.gz"));
  }
}

// Their means would be those of neither.
TEST_F(Partials, OfTwoJobsAreNotMerged) {
  MapAll(Demo(2), Path("a"), 1);
  DemoOptions other{.ranks = 2, .seed = 7, .slow_rank = 0, .layers = 3, .stacks = false};
  ASSERT_TRUE(WriteDemo(Path("other"), other).has_value());
  MapAll(Path("other"), Path("b"), 1);
  const std::string all = Path("all.ranks.parquet");
  const auto merged = MergePartials(std::vector{Path("a"), Path("b")}, all);
  ASSERT_FALSE(merged.has_value());
  EXPECT_TRUE(merged.error().what.contains("they are of two jobs")) << merged.error().what;
  EXPECT_FALSE(std::ifstream(all).good());
  EXPECT_TRUE(MergePartials(std::vector{Path("a"), Path("a")}, all)) << "the same ones";
}

TEST_F(Partials, AreNoOtherParquet) {
  const auto answer = testing::Ask({folder_.Write("x.ranks.parquet", "PAR1")});
  ASSERT_FALSE(answer.has_value());
}

}  // namespace
}  // namespace stepscope::partials_test
