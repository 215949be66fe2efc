// Checks impossible and unordered events: each is counted, and the sum stays exact.
#include <gtest/gtest.h>

#include <random>

#include "goodput/accounting/accounting.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::accounting_odd_test {
namespace {

int64_t Counted(const std::string& scenario, NoteKind kind) {
  return AccountingOf(scenario).note_counts().Count(kind);
}

TEST(OddEvents, ClockStepsBackAreClamped) {
  const std::string scenario = "0 start; 0 step 0; 10 step 1; 4 step 2; 20 step 3; 30 end";
  EXPECT_EQ(Summary(scenario), "total 30: PRODUCTIVE 30; 0 disruptions; last step 3");
  EXPECT_EQ(Counted(scenario, NoteKind::kClockBack), 1);
}

TEST(OddEvents, FirstEventReplacesAMissingStart) {
  const std::string scenario = "5..10 init; 10..30 steps 7..8; 30 end";
  EXPECT_EQ(Summary(scenario),
            "total 25: PRODUCTIVE 20, TPU_INITIALIZATION 5; 0 disruptions; last step 8");
  EXPECT_EQ(Counted(scenario, NoteKind::kNoJobStart), 1);
}

TEST(OddEvents, StepsAfterTheEndCancelIt) {
  const std::string scenario = "0 start; 0..20 steps 0..1; 20 end; 20..40 steps 2..3; 40 end";
  EXPECT_EQ(Summary(scenario), "total 40: PRODUCTIVE 40; 0 disruptions; last step 3");
  EXPECT_EQ(Counted(scenario, NoteKind::kAfterEnd), 1);
}

// The end of the first attempt arrives when the second one has begun.
TEST(OddEvents, EarlyEndBelongsToThePreviousAttempt) {
  const std::string scenario =
      "0 start; 0..20 steps 0..1; 50 start; 20 end; 50..70 steps 2..3; 70 end";
  EXPECT_EQ(Summary(scenario),
            "total 70: PRODUCTIVE 40, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 30; 0 disruptions; "
            "last step 3");
  EXPECT_EQ(Counted(scenario, NoteKind::kEndBeforeStart), 1);
}

TEST(OddEvents, LateStepIsNotARollback) {
  const std::string scenario = "0 start; 0 step 0; 10 step 1; 30 step 3; 20 step 2; 40 end";
  EXPECT_EQ(Summary(scenario), "total 40: PRODUCTIVE 40; 0 disruptions; last step 3");
  EXPECT_EQ(Counted(scenario, NoteKind::kLateStep), 1);
}

TEST(OddEvents, SecondWriterIsNotARollback) {
  const std::string scenario = "0 start; 0 step 0; 0.2 step 0; 10 step 1; 10.1 step 1; 20 end";
  EXPECT_EQ(Summary(scenario), "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
  EXPECT_EQ(Counted(scenario, NoteKind::kSecondWriter), 2);
}

// Attempt ids separate mixed logs of two attempts.
TEST(OddEvents, AttemptIdsSeparateMixedEvents) {
  Accounting accounting;
  const auto add = [&](EventKind kind, double time, const std::string& attempt, int64_t step) {
    accounting.Add({.kind = kind, .time = ScenarioTime(time), .attempt = attempt, .step = step});
  };
  add(EventKind::kJobStart, 0, "a", kUnknown);
  add(EventKind::kStepStart, 0, "a", 0);
  add(EventKind::kStepStart, 10, "a", 1);
  add(EventKind::kJobStart, 40, "b", kUnknown);
  add(EventKind::kStepStart, 20, "a", 2);  // late
  add(EventKind::kStepStart, 40, "b", 2);
  add(EventKind::kJobStart, 40, "b", kUnknown);  // twice
  add(EventKind::kJobEnd, 50, "b", kUnknown);
  EXPECT_EQ(Summary(accounting.Query()),
            "total 50: PRODUCTIVE 30, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 20; 1 disruption; "
            "last step 2");
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kDuplicate), 1);
}

TEST(OddEvents, InvalidSpansAreSkipped) {
  const std::string scenario = "0 start; 9..4 prep; 10..30 steps 0..1; 30 end";
  EXPECT_EQ(Summary(scenario), "total 30: PRODUCTIVE 20, OTHER 10; 0 disruptions; last step 1");
  EXPECT_EQ(Counted(scenario, NoteKind::kNegativeDuration), 1);
  Accounting accounting = AccountingOf("0 start");
  accounting.Add({.kind = EventKind::kTrainingPrepEnd, .time = ScenarioTime(5)});
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kEndWithoutBegin), 1);
}

TEST(OddEvents, TimesOutOfRangeAreSkipped) {
  Accounting accounting = AccountingOf("0 start; 0..20 steps 0..1; 20 end");
  for (const int64_t time : {INT64_MAX, INT64_MIN, INT64_MIN + 1, int64_t{1} << 62}) {
    accounting.Add({.kind = EventKind::kStepStart, .time = time, .step = 5});
  }
  accounting.Add({.kind = EventKind::kStepStart, .time = ScenarioTime(9), .step = INT64_MAX});
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kOutOfRange), 5);
  EXPECT_EQ(Summary(accounting.Query()), "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
}

// Their events do not say which step a checkpoint holds.
TEST(OddEvents, CheckpointsWithoutAStepSaveNoKnownStep) {
  const CheckpointTimes saved{.manager = {.start = ScenarioTime(25), .duration = kSecond}};
  for (const Event& event :
       std::vector<Event>{{.kind = EventKind::kCheckpointCommit, .time = ScenarioTime(25)},
                          {.kind = EventKind::kCheckpointSave, .checkpoint = saved}}) {
    Accounting accounting = AccountingOf("0 start; 0..30 steps 0..2");
    accounting.Add(event);
    EXPECT_EQ(accounting.Query().steps_at_risk, std::nullopt);
    Accounting known = AccountingOf("0 start; 0..30 steps 0..2; 5..6 save 0");
    known.Add(event);
    EXPECT_EQ(known.Query().steps_at_risk, 1);
  }
}

TEST(OddEvents, StepsWithoutANumberAreSkippedButTheProcessLived) {
  Accounting accounting = AccountingOf("0 start; 0..20 steps 0..1; 5..6 save 0");
  accounting.Add({.kind = EventKind::kStepStart, .time = ScenarioTime(30)});
  const Partition p = accounting.Query();
  EXPECT_EQ(p.open_step, 1);
  EXPECT_EQ(p.steps_at_risk, 0);
  EXPECT_EQ(p.end, ScenarioTime(30));
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kStepWithoutNumber), 1);
  Accounting none = AccountingOf("0 start; 5..6 save 0");
  none.Add({.kind = EventKind::kStepStart, .time = ScenarioTime(30)});
  EXPECT_EQ(none.Query().open_step, std::nullopt);
}

TEST(OddEvents, ManyCustomTypesShareOneName) {
  Accounting accounting = AccountingOf("0 start");
  for (int k = 0; k < 100; ++k) {
    const std::string type = "type" + std::to_string(k);
    accounting.Add({.kind = EventKind::kCustomBegin, .time = ScenarioTime(k), .text = type});
    accounting.Add({.kind = EventKind::kCustomEnd, .time = ScenarioTime(k + 1), .text = type});
  }
  const Partition p = accounting.Query();
  ASSERT_EQ(p.custom.size(), 31u);
  EXPECT_EQ(p.custom.front(), std::pair(std::string("(more types)"), 70 * kSecond));
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kManyCustomTypes), 70);
  EXPECT_EQ(p.unaccounted, 0);
}

// Random events in random order.
std::vector<Event> Nonsense(unsigned seed, size_t count) {
  std::mt19937_64 random(seed);
  const auto below = [&](int64_t n) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
  };
  std::vector<Event> events;
  for (size_t e = 0; e < count; ++e) {
    Event event{.kind = static_cast<EventKind>(below(static_cast<int64_t>(EventKind::kCount)))};
    event.time = ScenarioTime(static_cast<double>(below(1000)));
    if (below(50) == 0) event.time = static_cast<int64_t>(random());
    if (below(50) == 0) event.time = kUnknown;
    event.step = below(20) == 0 ? static_cast<int64_t>(random()) : below(40);
    if (below(20) == 0) event.step = kUnknown;
    event.text = below(2) == 0 ? "a" : "scale_up";
    if (below(4) == 0) event.attempt = std::string(1, static_cast<char>('a' + below(5)));
    for (int64_t& c : event.counts) c = below(10) == 0 ? static_cast<int64_t>(random()) : below(9);
    const auto span = [&] {
      return CheckpointTimes::Span{
          ScenarioTime(static_cast<double>(below(1000))),
          below(20) == 0 ? static_cast<int64_t>(random()) : below(50) * kSecond};
    };
    event.checkpoint = {span(), span(), span(), span(), span()};
    events.push_back(event);
  }
  return events;
}

TEST(OddEvents, RandomEventsKeepThePartitionExact) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Accounting accounting;
    for (const Event& event : Nonsense(seed, 3 + seed % 90)) accounting.Add(event);
    const PartitionQuery query{.at = ScenarioTime(700),
                               .exclusions = {{ScenarioTime(100), ScenarioTime(300)}}};
    const Partition whole = accounting.Query(query);
    ASSERT_EQ(whole.unaccounted, 0);
    for (const int64_t time : whole.times) ASSERT_GE(time, 0);
    if (whole.total() == 0) continue;
    BucketTimes sums{};
    const std::vector<int64_t> cuts = {whole.start, whole.start + whole.total() / 3,
                                       whole.start + whole.total() / 2, whole.end};
    for (size_t c = 0; c + 1 < cuts.size(); ++c) {
      PartitionQuery part = query;
      part.window = Interval{cuts[c], cuts[c + 1]};
      const Partition p = accounting.Query(part);
      ASSERT_EQ(p.unaccounted, 0);
      for (size_t b = 0; b < kBuckets; ++b) sums[b] += p.times[b];
    }
    ASSERT_EQ(sums, whole.times);
  }
}

}  // namespace
}  // namespace stepscope::goodput::accounting_odd_test
