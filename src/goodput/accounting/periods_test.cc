// Checks a job's periods in order, exact and joined.
#include "goodput/accounting/periods.h"

#include <gtest/gtest.h>

#include "goodput/report/report.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::periods_test {
namespace {

Partition PartitionWithPeriods(const std::string& scenario, PartitionQuery query = {}) {
  query.periods = true;
  return AccountingOf(scenario).Query(query);
}

// "1 PRODUCTIVE 0..60, ...": attempt, bucket and seconds since the scenario began.
std::string Summary(std::span<const Period> periods) {
  const auto seconds = [](int64_t t) { return static_cast<double>(t - kScenarioStart) / 1e9; };
  std::string text;
  for (const Period& p : periods) {
    text += fmt::format("{}{} {} {:.6g}..{:.6g}", text.empty() ? "" : ", ", p.attempt + 1,
                        BucketName(p.bucket), seconds(p.start), seconds(p.end));
  }
  return text;
}

// What lies over steps cuts them; steps that a later attempt made again stand where they were made.
TEST(GoodputPeriods, AreOrderedAndJoined) {
  const Partition p = PartitionWithPeriods(
      "0 submitted; 5 start; 5..10 prep; 10..60 steps 0..4; 22..25 save 1; 80 start; 80..110 steps "
      "3..5; 110 end");
  EXPECT_EQ(Summary(p.periods),
            "0 QUEUED 0..5, 1 TRAINING_PREP 5..10, 1 PROGRAM_STARTUP 10..11, 1 PRODUCTIVE 11..22, "
            "1 UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 22..25, 1 PRODUCTIVE 25..40, "
            "1 WASTED_PROGRESS_FROM_DISRUPTION 40..50, "
            "1 INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 50..80, 2 PRODUCTIVE 80..110");
  EXPECT_EQ(p.unaccounted, 0);
}

TEST(GoodputPeriods, FollowTheWindow) {
  const PartitionQuery window{.window = Interval{ScenarioTime(15), ScenarioTime(45)}};
  EXPECT_EQ(
      Summary(
          PartitionWithPeriods("0 start; 0..20 prep; 20..60 steps 0..3; 60 end", window).periods),
      "1 TRAINING_PREP 15..20, 1 PRODUCTIVE 20..45");
  EXPECT_TRUE(AccountingOf("0 start; 0..40 steps 0..3; 40 end").Query().periods.empty())
      << "nobody asked";
}

// In a cell of 10 s each bucket stands once; what is longer than a cell stays.
TEST(GoodputPeriods, ShortOnesAreJoinedByBucket) {
  std::vector<Period> periods;
  int64_t at = 0;
  for (int i = 0; i < 100; ++i) {
    const auto bucket = i % 2 == 0 ? Bucket::kProductive : Bucket::kSave;
    const int64_t length = i == 50 ? 500 : i % 2 == 0 ? 3 : 1;
    periods.push_back({0, at, at + length, bucket});
    at += length;
  }
  const JoinedPeriods few = JoinShortPeriods(periods, 30);
  EXPECT_LE(few.periods.size(), 30u);
  EXPECT_GT(few.within, 0);
  BucketTimes before{}, after{};
  for (const Period& p : periods) before[static_cast<size_t>(p.bucket)] += p.end - p.start;
  int64_t end = 0;
  bool has_long = false;
  for (const Period& p : few.periods) {
    EXPECT_EQ(p.start, end);
    end = p.end;
    has_long |=
        p.start == periods[50].start && p.bucket == Bucket::kProductive && p.end >= p.start + 500;
    after[static_cast<size_t>(p.bucket)] += p.end - p.start;
  }
  EXPECT_EQ(end, at);
  EXPECT_EQ(after, before);
  EXPECT_TRUE(has_long) << "what is long keeps its place";
  EXPECT_EQ(JoinShortPeriods(periods, 100).within, 0) << "few enough as they are";
}

// Periods from 1000 ns on, one after the other, that end so long after that; joined in cells.
TEST(GoodputPeriods, AreJoinedWithinCells) {
  const auto joined = [](const std::vector<std::pair<int64_t, Bucket>>& ends, size_t most) {
    std::vector<Period> periods;
    for (const auto& [end, bucket] : ends) {
      periods.push_back({0, periods.empty() ? 1000 : periods.back().end, 1000 + end, bucket});
    }
    const JoinedPeriods few = JoinShortPeriods(periods, most);
    std::string text;
    for (const Period& p : few.periods) {
      text += fmt::format("{} {}..{}, ", BucketName(p.bucket), p.start - 1000, p.end - 1000);
    }
    return text + fmt::format("cells of {}", few.within);
  };
  constexpr Bucket kStep = Bucket::kProductive, kWait = Bucket::kOther,
                   kPrep = Bucket::kTrainingPrep;
  // In each cell a bucket stands once, in the order in which they come first.
  EXPECT_EQ(joined({{3, kStep}, {4, kWait}, {7, kStep}, {8, kWait}, {20, kPrep}}, 3),
            "PRODUCTIVE 0..6, OTHER 6..8, TRAINING_PREP 8..20, cells of 7");
  // What ends where its cell does is in it: 3..5.
  EXPECT_EQ(joined({{2, kStep}, {3, kWait}, {5, kStep}, {8, kWait}, {10, kStep}, {20, kPrep}}, 5),
            "PRODUCTIVE 0..4, OTHER 4..8, PRODUCTIVE 8..10, TRAINING_PREP 10..20, cells of 5");
  // 4..7 is in two cells of 6, and stays, so that there are six periods; twice as long, three are
  // left.
  EXPECT_EQ(joined({{2, kStep}, {4, kWait}, {7, kStep}, {8, kWait}, {9, kStep}, {20, kPrep}}, 4),
            "PRODUCTIVE 0..6, OTHER 6..9, TRAINING_PREP 9..20, cells of 12");
}

// A crash loop of very many attempts.
TEST(GoodputPeriods, NumberIsLimited) {
  std::vector<Period> periods;
  for (int64_t i = 0; i < 100'000; ++i) {
    periods.push_back({i, 2 * i, 2 * i + 1, Bucket::kOther});
    periods.push_back({i, 2 * i + 1, 2 * i + 2, Bucket::kRecovery});
  }
  const JoinedPeriods few = JoinShortPeriods(periods, kBuckets);
  EXPECT_LE(few.periods.size(), kBuckets);
  EXPECT_EQ(few.periods.back().end, 200'000);
}

TEST(GoodputPeriods, GoodputByStretch) {
  const Partition p = PartitionWithPeriods("0 start; 0..25 prep; 25 step 0; 100 end",
                                           {.exclusions = {{ScenarioTime(60), ScenarioTime(90)}}});
  const auto curve = GoodputOverTime(p, 5);
  std::vector<std::pair<int64_t, double>> expected = {{0, 0.0}, {20, 0.75}, {40, 1.0}, {80, 1.0}};
  for (auto& [start, ratio] : expected) start = ScenarioTime(static_cast<double>(start));
  EXPECT_EQ(curve, expected) << "60..80 is excluded";
  EXPECT_EQ(GoodputOverTime(PartitionWithPeriods("0 start; 0.000000003 heartbeat"), 100).size(), 3u)
      << "a job of 3 ns";
}

TEST(GoodputPeriods, ReportNotesJoinedSegments) {
  Accounting accounting = AccountingOf("0 start; 0..40000 steps 0..9999; 40000 end");
  for (int i = 0; i < 3000; ++i) {
    Event save{.kind = EventKind::kCheckpointSave, .time = ScenarioTime(10 * i + 5), .step = i};
    save.checkpoint.manager = {save.time, kSecond};
    accounting.Add(save);
  }
  const Partition partition = accounting.Query({.periods = true});
  const Report report = PartitionReport(partition, accounting.step_clock());
  const auto table = std::ranges::find(report.tables, "segments", &Table::key);
  ASSERT_NE(table, report.tables.end());
  EXPECT_LE(table->rows.size(), 2000u);
  EXPECT_GT(table->rows.size(), 200u);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(report.notes[0].name, "segments_joined");
  EXPECT_EQ(report.notes[0].count, std::ssize(partition.periods) - std::ssize(table->rows));
}

}  // namespace
}  // namespace stepscope::goodput::periods_test
