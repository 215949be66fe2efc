// Checks the buckets of short scenarios; sums can be verified by hand.
#include "goodput/accounting/accounting.h"

#include <gtest/gtest.h>

#include "tests/support/scenario.h"

namespace stepscope::goodput::accounting_test {
namespace {

// The first step takes 25 s where others take 10: 15 s are startup. The last one is closed by the
// job's end.
TEST(Accounting, ACleanRun) {
  EXPECT_EQ(Summary(R"(0 start
                    0..10 init
                    10..30 prep
                    30..35 load
                    35 step 0
                    60..90 steps 1..3
                    90 end)"),
            "total 90: PRODUCTIVE 40, TRAINING_PREP 20, PROGRAM_STARTUP 15, TPU_INITIALIZATION 10, "
            "DATA_LOADING_SYNC 5; 0 disruptions; last step 3");
}

TEST(Accounting, OpenStepIsInProgress) {
  const std::string scenario = "0 start; 0..30 steps 0..2";
  EXPECT_EQ(Summary(scenario, {.at = ScenarioTime(34)}),
            "total 34: PRODUCTIVE 20, IN_PROGRESS 14; 0 disruptions; last step 1");
  const Partition p = AccountingOf(scenario).Query({.at = ScenarioTime(34)});
  EXPECT_TRUE(p.running);
  EXPECT_EQ(p.open_step, 2);
  // Without a time to ask for it runs until its last event.
  EXPECT_EQ(Summary(scenario), "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
}

// Steps 3 and 4 are redone. Step 5 was open at the disruption for an unknown time, which is in the
// recovery.
TEST(Accounting, RollbackWastesRedoneSteps) {
  EXPECT_EQ(Summary(R"(0 start
                    0..60 steps 0..5
                    100 start
                    100..110 restore 2
                    110..150 steps 3..6
                    150 end)"),
            "total 150: PRODUCTIVE 70, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 50, "
            "WASTED_PROGRESS_FROM_DISRUPTION 20, UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME 10; "
            "1 disruption; last step 6");
}

// Checkpoints recorded by their begins and ends count as those that Orbax measured.
TEST(Accounting, SavesAndRestoresWithoutOrbax) {
  const std::string scenario = R"(0 start
                    0..60 steps 0..5
                    25..28 saving 2
                    100 start
                    100..110 restoring 2
                    110..150 steps 3..6
                    150 end)";
  EXPECT_EQ(Summary(scenario),
            "total 150: PRODUCTIVE 66.25, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 50, "
            "WASTED_PROGRESS_FROM_DISRUPTION 20, UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME 10, "
            "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 3, PROGRAM_STARTUP 0.75; 1 disruption; last step 6")
      << "step 2 takes 7 s without its save: the first takes 0.75 s more than the others' mean";
  EXPECT_EQ(AccountingOf(scenario).saves(), 1);
}

// A checkpoint on the notice: no loss, but still a disruption. The library sees none and counts the
// recovery as step 2.
TEST(Accounting, GracefulPreemptionIsADisruption) {
  EXPECT_EQ(Summary(R"(0 start
                    0..30 steps 0..2
                    30 notice maintenance
                    30..33 save 2
                    200 start
                    200..220 steps 3..4
                    220 end)"),
            "total 220: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 167, PRODUCTIVE 50, "
            "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 3; 1 disruption; last step 4");
}

// A recorded end after a notice is unplanned.
TEST(Accounting, EndAfterNoticeIsADisruption) {
  const std::string more = "50 start; 50..70 steps 2..3; 70 end";
  EXPECT_EQ(Summary("0 start; 0..20 steps 0..1; 19 notice; 20 end;" + more),
            "total 70: PRODUCTIVE 40, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 30; 1 disruption; "
            "last step 3");
  const Partition planned = AccountingOf("0 start; 0..20 steps 0..1; 20 end;" + more).Query();
  EXPECT_EQ(planned.disruptions, 0);
  EXPECT_EQ(planned.suspended, 30 * kSecond);
}

// Attempt 3 goes back behind attempt 2's restart: attempt 1 keeps only what is before both.
TEST(Accounting, OlderCheckpointWastesSeveralAttempts) {
  EXPECT_EQ(Summary(R"(0 start; 0..50 steps 0..4
                    60 start; 60..90 steps 3..5
                    100 start; 100..160 steps 1..6
                    160 end)"),
            "total 160: PRODUCTIVE 70, WASTED_PROGRESS_FROM_DISRUPTION 50, "
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 40; 2 disruptions; last step 6");
}

TEST(Accounting, DetectsInProcessRestart) {
  const std::string scenario = "0 start; 0..40 steps 0..3; 45 step 1; 55 step 2; 65 end";
  EXPECT_EQ(Summary(scenario),
            "total 65: PRODUCTIVE 30, WASTED_PROGRESS_FROM_DISRUPTION 20, OTHER 15; 1 disruption; "
            "last step 2");
  EXPECT_TRUE(AccountingOf(scenario).Query().disruption_list.at(0).in_process);
  // With a marker the same, also when it goes on with the next step.
  EXPECT_EQ(
      AccountingOf("0 start; 0..40 steps 0..3; 45 resume 4; 50 step 4; 65 end").Query().disruptions,
      1);
}

TEST(Accounting, EveryCrashInALoopIsADisruption) {
  EXPECT_EQ(Summary(R"(0 start; 0..20 steps 0..1
                    50 start; 50..60 init
                    100 start; 100..110 init
                    150 start; 150..160 init
                    160..180 steps 1..2; 180 end)"),
            "total 180: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 120, PRODUCTIVE 30, "
            "TPU_INITIALIZATION 30; 3 disruptions; last step 2");
}

// A save counts before a custom event. Step 0 is left 10 s, step 1 only 10..12, step 2 23..30: the
// first step's excess over the mean of the others is 10 - (2 + 7) / 2.
TEST(Accounting, OverlaysTakeTimeFromSteps) {
  Accounting accounting = AccountingOf(R"(0 start
                                          0 step 0
                                          10 step 1
                                          12..19 eval
                                          20 step 2
                                          18..23 save 1
                                          30 end)");
  const Partition p = accounting.Query();
  EXPECT_EQ(Summary(p),
            "total 30: PRODUCTIVE 13.5, CUSTOM 6, PROGRAM_STARTUP 5.5, "
            "UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 5; 0 disruptions; last step 2");
  const std::vector<std::pair<std::string, int64_t>> custom = {{"EVAL", 6 * kSecond}};
  EXPECT_EQ(p.custom, custom);
}

TEST(Accounting, InnermostCustomEventCounts) {
  Accounting accounting;
  for (const auto& [kind, at, type] : std::vector<std::tuple<EventKind, double, std::string>>{
           {EventKind::kJobStart, 0, ""},
           {EventKind::kCustomBegin, 1, "eval"},
           {EventKind::kCustomBegin, 3, "Probe"},
           {EventKind::kCustomEnd, 5, "PROBE"},
           {EventKind::kCustomEnd, 9, "eval"},
           {EventKind::kJobEnd, 10, ""}}) {
    accounting.Add({.kind = kind, .time = ScenarioTime(at), .text = type});
  }
  const std::vector<std::pair<std::string, int64_t>> custom = {{"EVAL", 6 * kSecond},
                                                               {"PROBE", 2 * kSecond}};
  EXPECT_EQ(accounting.Query().custom, custom);
}

// Later data loading overlaps the steps.
TEST(Accounting, DataLoadingCountsOnlyBeforeTheFirstStep) {
  Accounting accounting =
      AccountingOf("0 start; 0..4 load; 4 step 0; 5..8 load; 14 step 1; 24 end");
  EXPECT_EQ(Summary(accounting.Query()),
            "total 24: PRODUCTIVE 20, DATA_LOADING_SYNC 4; 0 disruptions; last step 1");
  EXPECT_EQ(accounting.Query().async_loading, 3 * kSecond);
}

TEST(Accounting, ElasticWaitsAreNotSteps) {
  EXPECT_EQ(Summary("0 start; 0 step 0; 2..7 wait slice_down; 7..10 reinit; 12..14 wait scale_up_2;"
                    "20 step 1; 30 end"),
            "total 30: PRODUCTIVE 20, ELASTIC_SLICE_DOWN 5, ELASTIC_REINITIALIZATION 3, "
            "ELASTIC_SCALE_UP 2; 0 disruptions; last step 1");
}

// Scheduler events split the waits before the first start and between attempts.
TEST(Accounting, SchedulerEventsShowQueues) {
  Accounting accounting = AccountingOf(R"(0 submitted; 0 asked 8
                                          40 given 8
                                          50 start
                                          50..70 steps 0..1
                                          75 heartbeat
                                          90 asked 8
                                          150 given 8
                                          160 start
                                          160..170 restore 0
                                          170..190 steps 1..2
                                          190 end)");
  const Partition p = accounting.Query();
  EXPECT_EQ(Summary(p),
            "total 190: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 85, QUEUED 40, PRODUCTIVE 30, "
            "WASTED_PROGRESS_FROM_DISRUPTION 15, ALLOCATED 10, "
            "UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME 10; 1 disruption; last step 2");
  const Disruption& d = p.disruption_list.at(0);
  EXPECT_EQ(d.time, ScenarioTime(75));
  EXPECT_EQ(d.detect, 15 * kSecond);
  EXPECT_EQ(d.queue, 60 * kSecond);
  EXPECT_EQ(d.launch, 10 * kSecond);
  EXPECT_EQ(d.restore, 10 * kSecond);
  EXPECT_EQ(d.recompute, 15 * kSecond);
  EXPECT_EQ(d.cost(), (85 + 10 + 15) * kSecond);
}

TEST(Accounting, JobWithoutStartIsQueued) {
  EXPECT_EQ(Summary("0 submitted; 30 given 8", {.at = ScenarioTime(45)}),
            "total 45: QUEUED 30, ALLOCATED 15; 0 disruptions");
}

// A recorded end completes the last step of a disrupted attempt.
TEST(Accounting, StepEndKeepsTheLastStep) {
  EXPECT_EQ(
      Summary("0 start; 0..20 steps 0..1; 20 step_end 1; 40 start; 40..60 steps 2..3; 60 end"),
      "total 60: PRODUCTIVE 40, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 20; 1 disruption; "
      "last step 3");
}

TEST(Accounting, ExclusionsTakePrecedence) {
  const std::string scenario = "0 start; 5..15 eval; 20..60 steps 0..3; 60 end";
  const PartitionQuery query{.exclusions = {{ScenarioTime(10), ScenarioTime(25)},
                                            {ScenarioTime(12), ScenarioTime(14)},
                                            {ScenarioTime(-9), ScenarioTime(2)}}};
  const Partition p = AccountingOf(scenario).Query(query);
  EXPECT_EQ(Summary(p),
            "total 60: PRODUCTIVE 35, EXCLUDED 17, CUSTOM 5, OTHER 3; 0 disruptions; last step 3");
  EXPECT_DOUBLE_EQ(*p.goodput(), 35.0 / 43);
}

// A hang shows up in a window, and the second window has no share of the first one's steps.
TEST(Accounting, WindowsClipThePartition) {
  const std::string scenario = "0 start; 0..10 prep; 10..50 steps 0..3";
  const auto window = [&](double from, double to) {
    return Summary(scenario, {.at = ScenarioTime(200),
                              .window = Interval{ScenarioTime(from), ScenarioTime(to)}});
  };
  EXPECT_EQ(window(5, 35), "total 30: PRODUCTIVE 25, TRAINING_PREP 5; 0 disruptions; last step 2");
  EXPECT_EQ(window(140, 200), "total 60: IN_PROGRESS 60; 0 disruptions; last step 2");
  EXPECT_EQ(window(190, 500), "total 10: IN_PROGRESS 10; 0 disruptions; last step 2");
  EXPECT_EQ(window(300, 500), "total 0:; 0 disruptions; last step 2");
}

TEST(Accounting, SparseStepsKeepTheirTime) {
  EXPECT_EQ(Summary("0 start; 0 step 0; 100 step 10; 200 step 20; 300 end"),
            "total 300: PRODUCTIVE 300; 0 disruptions; last step 20");
}

// Steps 3 and 4 are made and not saved, step 5 is open.
TEST(Accounting, RunningJobReportsStepsAtRisk) {
  const std::string scenario = "0 start; 0..60 steps 0..5;";
  EXPECT_EQ(AccountingOf(scenario + "32..33 save 2").Query().steps_at_risk, 2);
  EXPECT_EQ(AccountingOf(scenario + "60 step_end 5; 32..33 save 2").Query().steps_at_risk, 3);
  EXPECT_EQ(AccountingOf(scenario).Query().steps_at_risk, std::nullopt);
  EXPECT_EQ(AccountingOf(scenario + "32..33 save 2; 60 end").Query().steps_at_risk, std::nullopt);
}

// Half of the slices for half of the time, all for the rest.
TEST(Accounting, SlicesAreWeightedByTime) {
  Accounting accounting;
  accounting.Add({.kind = EventKind::kJobStart, .time = ScenarioTime(0)});
  accounting.Add({.kind = EventKind::kElasticSlices, .time = ScenarioTime(0), .counts = {2, 4, 4}});
  accounting.Add(
      {.kind = EventKind::kElasticSlices, .time = ScenarioTime(50), .counts = {4, 4, 4}});
  accounting.Add({.kind = EventKind::kJobEnd, .time = ScenarioTime(100)});
  const Partition p = accounting.Query();
  EXPECT_DOUBLE_EQ(p.active_slices.value(), 0.75);
  EXPECT_DOUBLE_EQ(p.available_slices.value(), 1);
  EXPECT_EQ(AccountingOf("0 start; 0 slices 3/4/4").Query().active_slices, std::nullopt)
      << "no time";
  EXPECT_DOUBLE_EQ(AccountingOf("0 start; 50 slices 4/4/4; 0 slices 2/4/4; 100 end")
                       .Query()
                       .active_slices.value(),
                   0.75)
      << "whatever comes first";
}

// Rank 0 restarted, rank 1 told no step; what has no rank tells none.
TEST(Accounting, LastSignsAreOfTheLastProcessOfEachRank) {
  const auto signs = AccountingOf(R"([0b] 100 start; 100..120 steps 5..6; 125 heartbeat
                                     [0] 0 start; 0..20 steps 0..1
                                     [1] 0 start; 30 heartbeat
                                     [-a] 0 start; 200 heartbeat)")
                         .LastSigns();
  ASSERT_EQ(signs.size(), 2u);
  EXPECT_EQ(signs[0].rank, 0);
  EXPECT_EQ(signs[0].last, ScenarioTime(125));
  EXPECT_EQ(signs[0].step, 6);
  EXPECT_EQ(signs[1].last, ScenarioTime(30));
  EXPECT_EQ(signs[1].step, -1);
}

// Of two notices at one time, the text is the last one's; of a later one, the first one's.
TEST(Accounting, NoticesOfASchedulerAreOfTheAttemptThatRan) {
  const auto text = [](double second) {
    Accounting accounting = AccountingOf("0 start; 0..20 steps 0..1; 50 start; 50..70 steps 1..2");
    for (const auto& [time, said] : {std::pair(15.0, "first"), std::pair(second, "second")}) {
      accounting.AddLate(
          {.kind = EventKind::kPreemptionNotice, .time = ScenarioTime(time), .text = said});
    }
    return accounting.Query().disruption_list.at(0).text;
  };
  EXPECT_EQ(text(15), "second");
  EXPECT_EQ(text(16), "first");
  EXPECT_EQ(text(14), "second");
}

// Why a scheduler ended an attempt, unless that ended as planned, was told to go, or lived on for
// more than a minute.
TEST(Accounting, EndsOfASchedulerTellWhyAnAttemptIsGone) {
  const auto cause = [](const std::string& first, double time) {
    Accounting accounting =
        AccountingOf("[0] 0 start; 0..20 steps 0..1; " + first + "; [0b] 500 start");
    accounting.AddLate(
        {.kind = EventKind::kProcessEnd, .time = ScenarioTime(time), .text = "out of memory"});
    return fmt::to_string(accounting.Query().attempts.at(0).cause);
  };
  EXPECT_EQ(cause("100 heartbeat", 100), "out of memory");
  EXPECT_EQ(cause("100 heartbeat", 40), "out of memory");
  EXPECT_EQ(cause("100 heartbeat", 39.9), "");
  EXPECT_EQ(cause("100 end", 100), "");
  EXPECT_EQ(cause("100 notice", 100), "");
  EXPECT_EQ(cause("100 process_end ValueError: x", 100), "ValueError: x: out of memory");
  EXPECT_EQ(cause("100 process_end out of memory", 100), "out of memory");
}

// The earliest request counts. What was asked for while steps were made is of no attempt after
// them.
TEST(Accounting, MomentsOfASchedulerAreOfTheNextAttempt) {
  const auto down = [](const std::string& moments) {
    const Partition p = AccountingOf("0 start; 0..30 steps 0..2; " + moments +
                                     "; 100 start; 100..120 steps 2..3; 120 end")
                            .Query();
    const Disruption& d = p.disruption_list.at(0);
    const auto seconds = [](std::optional<int64_t> time) {
      return time ? static_cast<double>(*time) / 1e9 : -1;
    };
    return std::tuple(seconds(d.detect), seconds(d.queue), seconds(d.launch));
  };
  EXPECT_EQ(down("40 asked 8; 50 asked 8; 90 given 8"), std::tuple(20, 50, 10));
  EXPECT_EQ(down("50 asked 8; 40 asked 8; 95 given 8; 90 given 8"), std::tuple(20, 50, 10));
  EXPECT_EQ(down("20 asked 8; 90 given 8"), std::tuple(-1, -1, 10)) << "as step 2 began";
  EXPECT_EQ(down("20.1 asked 8; 90 given 8"), std::tuple(0.1, 69.9, 10));
}

// Steps are known from the first one on, to the attempt's last sign of life.
TEST(Accounting, TheStepAtATime) {
  const Accounting accounting = AccountingOf(
      "0 start; 10..30 steps 0..1; 35 heartbeat; 50 start; 60 start; 60..80 steps 1..2");
  const auto at = [&](double time) {
    const auto place = accounting.StepAt(ScenarioTime(time));
    return place ? fmt::format("{} of {}", place->step, place->attempt) : "none";
  };
  EXPECT_EQ(at(-1), "none");
  EXPECT_EQ(at(9.9), "none");
  EXPECT_EQ(at(10), "0 of 0");
  EXPECT_EQ(at(19.9), "0 of 0");
  EXPECT_EQ(at(35), "1 of 0");
  EXPECT_EQ(at(35.1), "none");
  EXPECT_EQ(at(55), "none");
  EXPECT_EQ(at(500), "2 of 2");
}

}  // namespace
}  // namespace stepscope::goodput::accounting_test
