// Checks time inside an attempt that is not progress: between steps, beyond the usual, in spans
// that never ended.
#include "goodput/accounting/stalls.h"

#include <gtest/gtest.h>

#include "tests/support/scenario.h"

namespace stepscope::goodput::stalls_test {
namespace {

// Steps of 6 s, 4 s of loading between, told and not told.
std::string StepsWithEnds(const std::string& process, bool loads) {
  std::string text = process + " 0 start";
  for (int k = 0; k < 100; ++k) {
    text += fmt::format("; {} step {}; {} step_end {}", 10 * k, k, 10 * k + 6, k);
    if (loads) text += fmt::format("; {}..{} load", 10 * k + 6, 10 * k + 10);
  }
  return text + "; 1000 end";
}

TEST(Stalls, TimeBetweenStepsIsNotProductive) {
  EXPECT_EQ(Summary(StepsWithEnds("[0]", true)),
            "total 1000: PRODUCTIVE 600, DATA_LOADING_SYNC 400; 0 disruptions; last step 99");
  EXPECT_EQ(Summary(StepsWithEnds("", false)),
            "total 1000: PRODUCTIVE 600, OTHER 400; 0 disruptions; last step 99");
  Accounting accounting = AccountingOf(StepsWithEnds("[0]", false));
  EXPECT_NEAR(static_cast<double>(accounting.step_clock().median().value()), 6e9, 1e5);
}

// 80 % of each step is in spans of loading.
TEST(Stalls, LoadingInsideStepsIsNotProductive) {
  std::string text = "[0] 0 start";
  for (int k = 0; k < 100; ++k) {
    text += fmt::format("; {} step {}; {}..{} load", 10 * k, k, 10 * k, 10 * k + 8);
  }
  EXPECT_EQ(Summary(text + "; 1000 end"),
            "total 1000: DATA_LOADING_SYNC 800, PRODUCTIVE 200; 0 disruptions; last step 99");
}

TEST(Stalls, WhatAStepTakesBeyondTheUsualIsApart) {
  EXPECT_EQ(Summary("[0] 0 start; 0..100 steps 0..99; 100 step 100; 3701..3801 steps 101..200;"
                    "3801 end"),
            "total 3801: SLOW_STEP 3600, PRODUCTIVE 201; 0 disruptions; last step 200");
  // Also in a log without writers, from ten minutes on.
  EXPECT_EQ(Summary("0 start; 0..100 steps 0..99; 100 step 100; 3701..3801 steps 101..200;"
                    "3801 end"),
            "total 3801: SLOW_STEP 3600, PRODUCTIVE 201; 0 disruptions; last step 200");
}

// Steps 1 to 7 take 60 s each, the 100 after them 10 s: 50 s more each, and so the first one.
TEST(Stalls, TheFirstStepsMayAllBeSlow) {
  EXPECT_EQ(Summary("[0] 0 start; 0..480 steps 0..7; 480..1480 steps 8..107; 1480 end"),
            "total 1480: PRODUCTIVE 1080, SLOW_STEP 350, PROGRAM_STARTUP 50; 0 disruptions; last "
            "step 107");
}

// A save in the long step is a save.
TEST(Stalls, SpansOfALongStepStayTheirs) {
  EXPECT_EQ(Summary("[0] 0 start; 0..100 steps 0..9; 100 step 10; 110..160 save 10;"
                    "300..400 steps 11..20; 400 end"),
            "total 400: PRODUCTIVE 210, SLOW_STEP 140, UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 50; "
            "0 disruptions; last step 20");
}

// 30 min of heartbeats inside step 50, then the next attempt goes back to step 45.
TEST(Stalls, AHangInAnAttemptThatDied) {
  std::string text = "[0] 0 start; 0..500 steps 0..49; 500 step 50";
  for (int t = 510; t <= 2310; t += 10) text += fmt::format("; {} heartbeat", t);
  text += "; [0b] 2400 start; 2400..2500 steps 45..54; 2500 end";
  Accounting accounting = AccountingOf(text);
  const Partition p = accounting.Query();
  EXPECT_EQ(Summary(p),
            "total 2500: HUNG_STEP 1800, PRODUCTIVE 550, "
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 90, WASTED_PROGRESS_FROM_DISRUPTION 60; "
            "1 disruption; last step 54");
  EXPECT_EQ(p.disruption_list.at(0).hung, 1800 * kSecond);
}

// In the second step of a job, of which no step is known to be usual.
TEST(Stalls, AHangInOneOfTheFirstSteps) {
  EXPECT_EQ(Summary("[0] 0 start; 0 step 0; 30 step 1; 1830 heartbeat;"
                    "[0b] 1900 start; 1900..1920 steps 0..1; 1920 end"),
            "total 1920: HUNG_STEP 1770, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 70, "
            "WASTED_PROGRESS_FROM_DISRUPTION 60, PRODUCTIVE 20; 1 disruption; last step 1");
}

// An hour's hang, then SIGTERM and a planned end.
TEST(Stalls, AHangBeforeAPlannedEnd) {
  EXPECT_EQ(Summary("[0] 0 start; 0..100 steps 0..99; 100 step 100; 3700 notice SIGTERM; 3701 end"),
            "total 3701: HUNG_STEP 3600, PRODUCTIVE 101; 0 disruptions; last step 100");
}

TEST(Stalls, SpansThatNeverEndOwnTheTime) {
  EXPECT_EQ(Summary("[0] 0 start; 0 prep; 300 heartbeat; 600 heartbeat;"
                    "[0b] 700 start; 700..720 steps 0..1; 720 end"),
            "total 720: TRAINING_PREP 600, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100, "
            "PRODUCTIVE 20; 1 disruption; last step 1");
  EXPECT_EQ(Summary("[0] 0 start; 0..100 steps 0..9; 100 eval; 400 heartbeat;"
                    "[0b] 500 start; 500..520 steps 10..11; 520 end"),
            "total 520: CUSTOM 300, PRODUCTIVE 120, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100; "
            "1 disruption; last step 11");
  // A forgotten end: steps show that it ended.
  EXPECT_EQ(Summary("[0] 0 start; 0 prep; 10..110 steps 0..9; 110 end"),
            "total 110: PRODUCTIVE 100, OTHER 10; 0 disruptions; last step 9");
}

// 20 minutes of steps; the wall clock is set by an hour after 10.
TEST(Stalls, ClocksThatAreSetDoNotMakeTime) {
  for (const double leap : {3600.0, -3600.0}) {
    Accounting accounting;
    const auto add = [&](EventKind kind, double time, int64_t step) {
      Event event{.kind = kind, .time = ScenarioTime(time), .writer = ScenarioWriter("0")};
      event.monotonic = event.time - ScenarioTime(-500);
      if (time > 600) event.time = ScenarioTime(time + leap);
      event.step = step;
      accounting.Add(event);
    };
    add(EventKind::kJobStart, 0, kUnknown);
    for (int k = 0; k < 120; ++k) add(EventKind::kStepStart, 10.0 * k, k);
    add(EventKind::kJobEnd, 1200, kUnknown);
    EXPECT_EQ(Summary(accounting.Query()),
              "total 1200: PRODUCTIVE 1200; 0 disruptions; last step 119");
    ASSERT_EQ(accounting.note_counts().Count(NoteKind::kClockStep), 1);
    EXPECT_EQ(accounting.note_counts().Detail(NoteKind::kClockStep),
              leap > 0 ? "+3600.0 s on host" : "-3600.0 s on host");
  }
}

}  // namespace
}  // namespace stepscope::goodput::stalls_test
