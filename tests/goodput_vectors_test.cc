// Checks the vectors of ../shared/goodput: the reference library's answers, and those of the
// partition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/time_units.h"
#include "goodput/accounting/accounting.h"
#include "goodput/accounting/duplicates.h"
#include "goodput/accounting/ml_goodput.h"
#include "goodput/accounting/periods.h"
#include "goodput/events/json_lines.h"
#include "tests/shared_data.h"

namespace stepscope::goodput::goodput_vectors_test {
namespace {

using Json = nlohmann::json;

int64_t ToNs(double seconds) {
  const double whole = std::floor(seconds);
  return static_cast<int64_t>(whole) * kSecond + std::llround((seconds - whole) * 1e9);
}

class Vector : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::ifstream in(GetParam());
    vector_ = Json::parse(in);
    if (vector_.contains("tolerance")) {
      seconds_ = vector_["tolerance"].value("seconds", seconds_);
      percent_ = vector_["tolerance"].value("pct", percent_);
    }
  }

  void ReadEvents(const EventSink& sink) {
    Notes note_counts;
    if (vector_.contains("events_file")) {
      const std::string file = vector_["events_file"];
      auto source = ByteSource::Open(std::filesystem::path(GetParam()).parent_path() / file);
      ASSERT_TRUE(source) << source.error().what;
      ReadJsonLines(std::move(*source), note_counts, sink);
    } else {
      std::string lines;
      for (const Json& event : vector_["events"]) lines += event.dump() + "\n";
      ByteSource source = ByteSource::FromMemory(lines);
      ReadJsonLines(std::move(source), note_counts, sink);
    }
    EXPECT_TRUE(note_counts.List().empty()) << note_counts.List().front().name;
  }

  void Near(const std::string& what, double ours, double expected, double tolerance) {
    EXPECT_NEAR(ours, expected, tolerance) << what;
  }

  // Every entry of `expected` that is a number, against `ours`, which may have more zeros.
  void SameTimes(const std::string& what, const Json& expected,
                 const std::map<std::string, double>& ours, double tolerance) {
    for (const auto& [name, value] : expected.items()) {
      if (!value.is_number()) continue;
      const auto found = ours.find(name);
      Near(what + " " + name, found == ours.end() ? 0 : found->second, value, tolerance);
    }
    for (const auto& [name, value] : ours) {
      if (!expected.contains(name)) Near(what + " " + name, value, 0, tolerance);
    }
  }

  Json vector_;
  double seconds_ = 1e-6, percent_ = 1e-9;
};

using Partitions = Vector;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Partitions);

TEST_P(Partitions, MatchTheVectors) {
  const Json& expected = vector_["expected_partition"];
  Accounting accounting;
  Duplicates duplicates;
  ReadEvents([&](const Event& event) {
    if (!duplicates.Seen(event)) accounting.Add(event);
  });
  PartitionQuery partition_query{.at = ToNs(vector_["query"]["query_time"])};
  for (const Json& e : vector_["query"].value("exclusions", Json::array())) {
    partition_query.exclusions.push_back({ToNs(e[0]), ToNs(e[1])});
  }
  const Partition answer = accounting.Query(partition_query);
  EXPECT_EQ(answer.unaccounted, 0);
  Near("total", static_cast<double>(answer.total()) / 1e9, expected["total_s"], seconds_);
  std::map<std::string, double> buckets, custom;
  for (size_t b = 0; b < kBuckets; ++b) {
    const double time = static_cast<double>(answer.times[b]) / 1e9;
    if (time != 0) buckets[std::string(BucketName(static_cast<Bucket>(b)))] = time;
  }
  for (const auto& [type, time] : answer.custom) custom[type] = static_cast<double>(time) / 1e9;
  SameTimes("bucket", expected["buckets_s"], buckets, seconds_);
  SameTimes("custom", expected["custom_s"], custom, seconds_);
  Near("async", static_cast<double>(answer.async_loading) / 1e9, expected["async_data_loading_s"],
       seconds_);
  Near("goodput", answer.goodput().value_or(-1) * 100, expected["goodput_pct"], percent_);
  EXPECT_EQ(answer.disruptions, expected["disruptions"].get<int64_t>());
  ASSERT_TRUE(answer.max_productive_step.has_value());
  EXPECT_EQ(*answer.max_productive_step, expected["max_productive_step"].get<int64_t>());
}

// Periods cover the same time: no gaps, no overlaps, equal sums per bucket.
TEST_P(Partitions, AreOrderedWithoutGaps) {
  Accounting accounting;
  ReadEvents([&](const Event& event) { accounting.Add(event); });
  PartitionQuery partition_query{.at = ToNs(vector_["query"]["query_time"]), .periods = true};
  for (const Json& e : vector_["query"].value("exclusions", Json::array())) {
    partition_query.exclusions.push_back({ToNs(e[0]), ToNs(e[1])});
  }
  const Partition answer = accounting.Query(partition_query);
  for (const size_t most : {size_t{100'000'000}, size_t{2000}, kBuckets}) {
    const JoinedPeriods joined = JoinShortPeriods(answer.periods, most);
    EXPECT_LE(joined.periods.size(), most);
    BucketTimes times{};
    int64_t end = answer.start;
    for (const Period& p : joined.periods) {
      EXPECT_EQ(p.start, end);
      EXPECT_GT(p.end, p.start);
      end = p.end;
      times[static_cast<size_t>(p.bucket)] += p.end - p.start;
    }
    EXPECT_EQ(end, answer.end);
    EXPECT_EQ(times, answer.times);
  }
}

// The curve over the life of the job holds its productive time, stretch by stretch.
TEST_P(Partitions, SeriesAddsUp) {
  Accounting accounting;
  ReadEvents([&](const Event& event) { accounting.Add(event); });
  const Partition answer =
      accounting.Query({.at = ToNs(vector_["query"]["query_time"]), .periods = true});
  const auto curve = GoodputOverTime(answer, 100);
  ASSERT_EQ(curve.size(), 100u);
  double productive = 0;
  for (size_t i = 0; i < curve.size(); ++i) {
    const int64_t end = i + 1 < curve.size() ? curve[i + 1].first : answer.end;
    EXPECT_GE(curve[i].second, 0);
    EXPECT_LE(curve[i].second, 1);
    productive += curve[i].second * static_cast<double>(end - curve[i].first);
  }
  EXPECT_NEAR(productive, static_cast<double>(answer.At(Bucket::kProductive)),
              1e-12 * static_cast<double>(answer.total()) + 1);
}

// Windows that touch add up to the whole, wherever they touch.
TEST_P(Partitions, WindowsAddUp) {
  Accounting accounting;
  ReadEvents([&](const Event& event) { accounting.Add(event); });
  const std::optional<int64_t> at = ToNs(vector_["query"]["query_time"]);
  const Partition whole = accounting.Query({.at = at});
  BucketTimes sums{};
  const int64_t width = std::max<int64_t>(1, whole.total() / 7);
  for (int64_t from = whole.start - width; from < whole.end; from += width) {
    const Partition part = accounting.Query({.at = at, .window = Interval{from, from + width}});
    EXPECT_EQ(part.unaccounted, 0);
    for (size_t b = 0; b < kBuckets; ++b) sums[b] += part.times[b];
  }
  EXPECT_EQ(sums, whole.times);
}

std::map<std::string, double> Flat(const std::string& name, const MlSpread& s) {
  return {{"total_" + name, s.total},
          {"average_" + name, s.mean},
          {"minimum_" + name, s.least},
          {"maximum_" + name, s.most},
          {"standard_deviation_" + name, s.deviation}};
}

std::map<std::string, double> CheckpointTimesOf(const Json& query, const MlGoodput& ml) {
  const std::string api = query["api"], which = query["args"].at(0);
  const MlTier tier = which == "local"        ? MlTier::kLocal
                      : which == "persistent" ? MlTier::kPersistent
                                              : MlTier::kBoth;
  std::map<std::string, double> all;
  if (api.contains("save")) {
    const MlCheckpoints c = ml.Saves(tier);
    all.merge(Flat("checkpoint_manager_blocking_time", c.manager));
    all.merge(Flat("checkpointer_blocking_time", c.checkpointer));
    all.merge(Flat("wait_for_prev_time", c.wait_for_prev));
    all.merge(Flat("get_old_steps_time", c.get_old_steps));
  } else {
    const MlCheckpoints c = ml.Restores(tier);
    all.merge(Flat("checkpoint_manager_time", c.manager));
    all.merge(Flat("restore_time", c.checkpointer));
    all.merge(Flat("broadcast_time", c.broadcast));
  }
  return all;
}

SecondsInterval ToInterval(const Json& pair) { return {pair.at(0), pair.at(1)}; }

MlAnswer AnswerTo(const Json& query, const MlGoodput& ml) {
  const std::string api = query["api"];
  const Json args = query.value("args", Json::array());
  if (api == "get_job_goodput_interval") {
    return ml.Window(ToInterval(query.contains("interval") ? query["interval"] : args));
  }
  const double at = query["query_time"];
  if (api != "get_job_goodput_with_exclusions") return ml.Whole(at);
  std::vector<SecondsInterval> exclusions;
  for (const Json& e : query.contains("exclusions") ? query["exclusions"] : args.at(0)) {
    exclusions.push_back(ToInterval(e));
  }
  return ml.Excluding(exclusions, at);
}

class LibraryComparison : public Vector {
 protected:
  void CompareDeviation(const MlDeviation& deviation, const Json& expected) {
    if (expected.contains("ideal_step_time_s")) {
      Near("ideal", deviation.ideal.value_or(-1), expected["ideal_step_time_s"], seconds_);
    }
    if (!expected.contains("step_deviation_summary")) return;
    const Json& summary = expected["step_deviation_summary"];
    EXPECT_EQ(static_cast<int64_t>(deviation.by_step.size()), summary["count"].get<int64_t>());
    double sum = 0, most = 0;
    for (const auto& [step, time] : deviation.by_step) {
      sum += time;
      most = std::max(most, time);
    }
    Near("sum of deviations", sum, summary["sum"], seconds_);
    Near("largest deviation", most, summary["max"], seconds_);
    Near("from baseline", *deviation.cumulative, summary["from_baseline_cumulative"], seconds_);
    Near("of interval", *deviation.interval, summary["from_baseline_interval"], seconds_);
  }

  void CompareNumbers(const MlAnswer& answer, const Json& expected) {
    const auto near = [&](const char* key, double ours, double tolerance) {
      if (expected.contains(key)) Near(key, ours, expected[key], tolerance);
    };
    near("goodput_pct", answer.goodput_percent, percent_);
    near("productive_s", answer.productive, seconds_);
    near("total_job_time_s", answer.total, seconds_);
    near("total_excluded_s", answer.excluded, seconds_);
    const auto same = [&](const char* key, int64_t ours) {
      if (!expected.contains(key) || expected[key].is_null()) return;
      EXPECT_EQ(ours, expected[key].get<int64_t>()) << key;
    };
    same("disruptions", answer.disruptions);
    same("max_productive_step", answer.max_productive_step.value_or(-1));
    same("last_recorded_step", answer.last_step.value_or(-1));
  }

  void CompareBuckets(const MlAnswer& answer, const Json& expected) {
    std::map<std::string, double> times, percents, custom, custom_percents;
    for (size_t b = 0; b < answer.badput.size(); ++b) {
      const std::string name(BadputName(static_cast<Badput>(b)));
      times[name] = answer.badput[b];
      percents[name] = answer.Percent(answer.badput[b]);
    }
    for (const auto& [type, time] : answer.custom) {
      custom[type] = time;
      custom_percents[type] = answer.Percent(time);
    }
    if (expected.contains("badput_s") && answer.total > 0) {
      SameTimes("badput", expected["badput_s"], times, seconds_);
      SameTimes("custom", expected["badput_s"].value("CUSTOM_BADPUT_EVENTS", Json::object()),
                custom, seconds_);
    }
    if (expected.contains("badput_pct") && !expected["badput_pct"].empty()) {
      SameTimes("share", expected["badput_pct"], percents, percent_);
      SameTimes("custom share",
                expected["badput_pct"].value("CUSTOM_BADPUT_EVENTS", Json::object()),
                custom_percents, percent_);
    }
  }
};
using Library = LibraryComparison;
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Library);

TEST_P(Library, AnswersLikeTheLibrary) {
  MlGoodput ml;
  ReadEvents([&](const Event& event) { ml.Add(event); });
  const Json& query = vector_["query"];
  const Json& expected = vector_["expected"];
  const std::string api = query["api"];
  if (api.starts_with("calculate_")) {
    return SameTimes("checkpoints", expected, CheckpointTimesOf(query, ml), seconds_);
  }
  const MlDeviation deviation = ml.StepDeviation();
  CompareDeviation(deviation, expected);
  if (api == "get_step_deviation") {
    std::map<std::string, double> by_step;
    for (const auto& [step, time] : deviation.by_step) by_step[std::to_string(step)] = time;
    return SameTimes("deviation of step", expected["step_deviation_s"], by_step, seconds_);
  }
  MlAnswer answer = AnswerTo(query, ml);
  EXPECT_EQ(answer.error, expected.value("error", ""));
  if (!answer.error.empty()) return;
  // The library's inner function leaves the rest to its callers.
  if (api.starts_with("_")) answer.badput[static_cast<size_t>(Badput::kOther)] = 0;
  CompareNumbers(answer, expected);
  CompareBuckets(answer, expected);
}

// The vectors that have `key`.
std::vector<std::string> Files(const char* key) {
  std::vector<std::string> files = testing::SharedFiles("goodput/vectors");
  std::erase_if(files, [&](const std::string& path) {
    if (!path.ends_with(".json")) return true;
    std::ifstream in(path);
    return !Json::parse(in).contains(key);
  });
  return files;
}

std::string TestName(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem();
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Goodput, Partitions, ::testing::ValuesIn(Files("expected_partition")),
                         TestName);
INSTANTIATE_TEST_SUITE_P(Goodput, Library, ::testing::ValuesIn(Files("expected")), TestName);

TEST(GoodputVectors, AreThere) {
  if (Files("expected").empty())
    GTEST_SKIP() << "no vectors were tested: there is no ../shared/goodput";
}

}  // namespace
}  // namespace stepscope::goodput::goodput_vectors_test
