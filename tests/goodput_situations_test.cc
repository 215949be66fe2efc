// Situations inside a job: ranks, steps, hangs, names of attempts.
#include "tests/goodput_situations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "report/phrase_format.h"

namespace stepscope::testing::goodput_situations_test {
namespace {

// 1. Several ranks.

TEST_F(GoodputSituations, AnHourOfTwoRanks) {
  EXPECT_EQ(Told("[0] 0 start; 0..3600 steps 0..3599; 3600 end;"
                 "[1] 0.2 start; 0.2..3600.2 steps 0..3599; 3600.2 end"),
            "PRODUCTIVE 3600");
  EXPECT_EQ(Findings(), "");
}

TEST_F(GoodputSituations, FourRecordersWithOneRestart) {
  std::string scenario;
  for (int rank = 0; rank < 4; ++rank) {
    scenario += fmt::format(
        "[{0}] 0 start; 0..20 prep; 20..75 steps 0..10; [{0}b] 125 start; 125..145 prep;"
        "145..155 restoring 4; 155..200 steps 5..13; 200 end;",
        rank);
  }
  EXPECT_EQ(Told(scenario),
            "PRODUCTIVE 70, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 55, TRAINING_PREP 40, "
            "WASTED_PROGRESS_FROM_DISRUPTION 25, UNPRODUCTIVE_CHECKPOINT_RESTORE_TIME 10");
  EXPECT_EQ(Disruptions(), 1);
}

TEST_F(GoodputSituations, TwoJobsUnderOneNameAreAFinding) {
  Told(
      "[0] 0 start; 0..1000 steps 0..99; 1000 end;"
      "[0b] 200 start; 200..900 steps 0..699; 900 end");
  EXPECT_TRUE(Findings().contains("Two jobs record under this name at the same time"))
      << Findings();
  EXPECT_TRUE(Findings().contains("(1 process of the other job tells steps of its own, such as "))
      << Findings();
}

// 2. Ends of steps.

TEST_F(GoodputSituations, LoadingBetweenSteps) {
  for (const bool told : {true, false}) {
    std::string scenario = "[0] 0 start";
    for (int k = 0; k < 100; ++k) {
      scenario += fmt::format("; {} step {}; {} step_end {}", 10 * k, k, 10 * k + 6, k);
      if (told) scenario += fmt::format("; {}..{} load", 10 * k + 6, 10 * k + 10);
    }
    EXPECT_EQ(Told(scenario + "; 1000 end"),
              told ? "PRODUCTIVE 600, DATA_LOADING_SYNC 400" : "PRODUCTIVE 600, OTHER 400");
    EXPECT_NEAR(
        static_cast<double>(std::get<int64_t>(MetricOf(answer_, "goodput", "median_step_time"))),
        6e9, 1e7);
    EXPECT_TRUE(Findings().contains(told ? "Blocking data loading is 40.0%"
                                         : "Time without a recorded cause is 40.0%"))
        << Findings();
  }
}

// Numbers of steps that begin anew or repeat while a process goes on: nothing is made again.
TEST_F(GoodputSituations, EpochsThatCountTheirSteps) {
  const std::string epochs = "[0] 0 start; 0..100 steps 0..9; 100..200 steps 0..9;";
  EXPECT_EQ(Told(epochs + "200..300 steps 0..9; 300 end"), "PRODUCTIVE 300");
  EXPECT_EQ(Disruptions(), 0);
  // The last epoch went on from its step 3.
  EXPECT_EQ(Told(epochs + "200..250 steps 0..4; [0b] 300 start; 300..370 steps 3..9; 370 end"),
            "PRODUCTIVE 300, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 60, "
            "WASTED_PROGRESS_FROM_DISRUPTION 10");
  EXPECT_EQ(Disruptions(), 1);
}

TEST_F(GoodputSituations, PartsOfAStepUnderOneNumber) {
  std::string scenario = "[0] 0 start";
  for (int k = 0; k < 100; ++k) scenario += fmt::format("; {} step {}", 2 * k, k / 4);
  EXPECT_EQ(Told(scenario + "; 200 end"), "PRODUCTIVE 200");
  EXPECT_EQ(Disruptions(), 0);
}

TEST_F(GoodputSituations, StartsOfEachTenthStep) {
  std::string scenario = "[0] 0 start";
  for (int k = 0; k < 10; ++k) scenario += fmt::format("; {} step {}", 50 * k, 10 * k);
  EXPECT_EQ(Told(scenario + "; 500 end"), "PRODUCTIVE 500");
  EXPECT_EQ(Findings(), "");
}

// 3. Hangs and spans that never end.

TEST_F(GoodputSituations, AHangThatDied) {
  EXPECT_EQ(Told("[0] 0 start; 0..500 steps 0..49; 500 step 50" + Heartbeats(510, 2310) +
                 "; [0b] 2400 start; 2400..2500 steps 45..54; 2500 end"),
            "HUNG_STEP 1800, PRODUCTIVE 550, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 90, "
            "WASTED_PROGRESS_FROM_DISRUPTION 60");
  const Finding& first = ReportOf(answer_, "goodput").findings.at(0);
  EXPECT_TRUE(first.because.contains("step 50 after 30.0 min")) << first.because;
  EXPECT_TRUE(first.hint.contains("watchdog") && first.hint.contains("NCCL")) << first.hint;
  EXPECT_FALSE(Findings().contains("more often")) << Findings();
}

// The same without a next attempt: nobody tells that it died but silence.
TEST_F(GoodputSituations, AHangThatNobodyRestarted) {
  EXPECT_EQ(Told("[0] 0 start; 0..500 steps 0..49; 500 step 50" + Heartbeats(510, 2310)),
            "HUNG_STEP 1800, PRODUCTIVE 500, WASTED_PROGRESS_FROM_DISRUPTION 10");
  EXPECT_EQ(State(), "silent");
  EXPECT_FALSE(Findings().contains("more often")) << Findings();
}

TEST_F(GoodputSituations, PreparationThatNeverEnded) {
  EXPECT_EQ(Told("[0] 0 start; 0 prep" + Heartbeats(10, 600) +
                 "; [0b] 700 start; 700..720 steps 0..1; 720 end"),
            "TRAINING_PREP 600, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100, PRODUCTIVE 20");
}

TEST_F(GoodputSituations, EvaluationThatCrashed) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; 100 step_end 9; 100 eval" + Heartbeats(110, 400) +
                 "; [0b] 500 start; 500..520 steps 10..11; 520 end"),
            "CUSTOM 300, PRODUCTIVE 120, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100");
  // Its step was not told to end.
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; 100 eval" + Heartbeats(110, 400) +
                 "; [0b] 500 start; 500..520 steps 10..11; 520 end"),
            "CUSTOM 300, PRODUCTIVE 120, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100");
}

// 6. Names of attempts.

// The batch script sets STEPSCOPE_ATTEMPT once; torchrun restarts the ranks below it.
TEST_F(GoodputSituations, OneNameForAllRestarts) {
  for (const bool launcher : {false, true}) {
    std::string scenario;
    for (int restart = 0; restart < 3; ++restart) {
      for (int rank = 0; rank < 2; ++rank) {
        const int t = 100 * restart;
        const std::string name =
            launcher ? fmt::format("batch~torchelastic.run.{}", restart) : "batch";
        scenario += fmt::format("[{}{}] {} start {}; {}..{} steps {}..{};", rank,
                                std::string(1, static_cast<char>('a' + restart)), t + rank, name,
                                t + 10, t + 60, 4 * restart, 4 * restart + 4);
        if (restart == 2) scenario += "260 end;";
      }
    }
    // Of each attempt 10 s before the first step; of the first two 40 s of steps, of which the last
    // one's 10 s are made again, and 50 s until the next start.
    EXPECT_EQ(Told(scenario),
              "PRODUCTIVE 130, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100, OTHER 30");
    EXPECT_EQ(Disruptions(), 2);
    EXPECT_EQ(Notes("repeated_attempt"), !launcher);
  }
}

TEST_F(GoodputSituations, TwoRanksWithOneNameThatResume) {
  EXPECT_EQ(Told("[0] 0 start a; 0..40 steps 0..3; [1] 0 start a; 0..40 steps 0..3;"
                 "[0b] 60 start a; 61 resume 3; 62..102 steps 3..6; 102 end;"
                 "[1b] 60.5 start a; 61.5 resume 3; 62..102 steps 3..6; 102 end"),
            "PRODUCTIVE 70, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 30, OTHER 2");
  EXPECT_EQ(Disruptions(), 1);
  // Both processes go on in themselves after a failure.
  EXPECT_EQ(Told("[0] 0 start a; 0..40 steps 0..3; 51 resume 3; 52..92 steps 3..6; 92 end;"
                 "[1] 0 start a; 0..40 steps 0..3; 51.5 resume 3; 52..92 steps 3..6; 92 end"),
            "PRODUCTIVE 70, OTHER 22");
  EXPECT_EQ(Disruptions(), 1);
}

// The processes of three attempts know neither rank nor name.
TEST_F(GoodputSituations, FourRanksWithoutNames) {
  std::string scenario;
  for (int attempt = 0; attempt < 3; ++attempt) {
    for (int process = 0; process < 4; ++process) {
      const int t = 100 * attempt;
      scenario += fmt::format("[-{}] {} start; {}..{} steps {}..{};",
                              static_cast<char>('a' + 4 * attempt + process), t + 0.25 * process,
                              t + 10, t + 60, 4 * attempt, 4 * attempt + 4);
      if (attempt == 2) scenario += "260 end;";
    }
  }
  EXPECT_EQ(Told(scenario),
            "PRODUCTIVE 130, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100, OTHER 30");
  EXPECT_EQ(Disruptions(), 2);
}

// 7. Slow steps.

TEST_F(GoodputSituations, AStepOfAnHour) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..99; 100 step 100; 3701..3801 steps 101..200;"
                 "3801 end"),
            "SLOW_STEP 3600, PRODUCTIVE 201");
  EXPECT_TRUE(Findings().contains("Time of slow steps beyond the usual is 94.7%")) << Findings();
}

TEST_F(GoodputSituations, AnHoursHangThenSigterm) {
  const std::string hang = "[0] 0 start; 0..100 steps 0..99; 100 step 100" + Heartbeats(110, 3690) +
                           "; 3701 notice SIGTERM";
  for (const std::string end : {"; 3701 end", "", "; 3701 process_end exit"}) {
    const bool planned = end == "; 3701 end";
    EXPECT_EQ(Told(hang + end), planned ? "HUNG_STEP 3600, PRODUCTIVE 101"
                                        : "HUNG_STEP 3600, PRODUCTIVE 100, "
                                          "WASTED_PROGRESS_FROM_DISRUPTION 1")
        << end;
    EXPECT_TRUE(Findings().contains("watchdog")) << Findings();
  }
}

TEST_F(GoodputSituations, LoadingInsideSteps) {
  std::string scenario = "[0] 0 start";
  for (int k = 0; k < 100; ++k) {
    scenario += fmt::format("; {} step {}; {}..{} load", 10 * k, k, 10 * k, 10 * k + 8);
  }
  EXPECT_EQ(Told(scenario + "; 1000 end"), "DATA_LOADING_SYNC 800, PRODUCTIVE 200");
  EXPECT_TRUE(Findings().contains("Blocking data loading is 80.0%")) << Findings();
}

TEST_F(GoodputSituations, SavesAndEvaluationInsideSteps) {
  EXPECT_EQ(
      Told("[0] 0 start; 0..100 steps 0..9; 100 step 10; 105..110 saving 9; 115..205 steps 11..19;"
           "205 step 20; 210..230 eval; 235..425 steps 21..39; 425 end"),
      "PRODUCTIVE 400, CUSTOM 20, UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 5");
}

// The library's logs do not tell whether loading blocks; that it takes most of each step is told.
TEST_F(GoodputSituations, LoadingInsideStepsOfALibrarysLog) {
  std::string scenario = "0 start";
  for (int k = 0; k < 100; ++k) {
    scenario += fmt::format("; {} step {}; {}..{} load", 10 * k, k, 10 * k, 10 * k + 8);
  }
  EXPECT_EQ(Told(scenario + "; 1000 end"), "PRODUCTIVE 1000");
  EXPECT_TRUE(
      Findings().contains("Data loading is recorded in 80.0% of the time of steps; whether "
                          "steps wait for it is unknown."))
      << Findings();
}

// Rotated files that were joined in the order of their names, lines that were sorted by something.
TEST_F(GoodputSituations, LinesOutOfOrder) {
  const std::string scenario =
      "[0] 0 start; 0..300 steps 0..29; 300..360 saving 29; 360..700 steps 30..63; 700 eval; 760 "
      "custom_end; [1] 0 start; 0..700 steps 0..63; [0b] 900 start; 900 resume 30; "
      "900..1300 steps 30..69; 1300 end";
  const std::string told = Told(scenario);
  std::vector<goodput::Event> events = Planted(scenario);
  std::ranges::rotate(events, events.begin() + std::ssize(events) / 3);
  std::ranges::reverse(events.begin() + 10, events.begin() + 20);
  const auto report =
      GoodputReport({.files = {LogOf(events)}, .at = goodput::ScenarioTime(kLater)});
  ASSERT_TRUE(report);
  EXPECT_EQ(BucketsOf(RowsOf(*report, "goodput", "buckets")), told);
  ASSERT_EQ(report->run.notes.size(), 1u);
  EXPECT_EQ(report->run.notes.front().name, "out_of_order");

  const auto imported = GoodputImport(store_ + "-shuffled", {LogOf(events)});
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->run.notes.front().name, "out_of_order");
  const auto stored =
      GoodputReport({.store = store_ + "-shuffled", .at = goodput::ScenarioTime(kLater)});
  ASSERT_TRUE(stored);
  EXPECT_EQ(BucketsOf(RowsOf(*stored, "goodput", "buckets")), told);
}

}  // namespace
}  // namespace stepscope::testing::goodput_situations_test
