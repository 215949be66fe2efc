// What ranks, schedulers and gaps in logs tell about an attempt, beyond what its leader says.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>

#include "report/phrase_format.h"
#include "tests/goodput_situations.h"

namespace stepscope::testing::goodput_evidence_test {
namespace {

using goodput::Event;

// Four ranks for 100 steps of 10 s, each told from and to when in the step.
std::string FourRanks(const std::function<std::pair<double, double>(int rank)>& in_step) {
  std::string scenario;
  for (int rank = 0; rank < 4; ++rank) {
    scenario += fmt::format("{}[{}] 0 start", rank == 0 ? "" : "; ", rank);
    const auto [begin, end] = in_step(rank);
    for (int k = 0; k < 100; ++k) {
      scenario += fmt::format("; {:.6g} step {}", 10 * k + begin, k);
      if (end < 10) scenario += fmt::format("; {:.6g} step_end {}", 10 * k + end, k);
    }
    scenario += "; 1000 end";
  }
  return scenario;
}

// One rank loads a batch for two seconds more; the others wait in their first collective.
TEST_F(GoodputSituations, ARankThatBeginsItsStepsLater) {
  Told(FourRanks([](int rank) { return std::pair(rank == 2 ? 2.5 : 0.5, 10.0); }));
  EXPECT_TRUE(
      Findings().contains("Rank 2 begins steps 2.00 s later than other ranks: it may be a "
                          "straggler."))
      << Findings();
  // The leader is no exception.
  Told(FourRanks([](int rank) { return std::pair(rank == 0 ? 2.5 : 0.5, 10.0); }));
  EXPECT_TRUE(Findings().contains("Rank 0 begins steps 2.00 s later")) << Findings();
}

TEST_F(GoodputSituations, ARankWhoseStepsLastLonger) {
  Told(FourRanks([](int rank) { return std::pair(0.0, rank == 3 ? 9.0 : 6.0); }));
  EXPECT_TRUE(Findings().contains("Steps of rank 3 last 3.00 s longer than those of other ranks"))
      << Findings();
}

TEST_F(GoodputSituations, RanksThatKeepStepAreNoStragglers) {
  Told(FourRanks([](int rank) { return std::pair(0.1 * rank, 9.0); }));
  EXPECT_FALSE(Findings().contains("straggler")) << Findings();
  // All that rank 1 tells is later: nobody waits for it.
  Told("[0] 0 start; 0..1000 steps 0..99; 1000 end; [1] 2 start; 2..1002 steps 0..99; 1002 end");
  EXPECT_FALSE(Findings().contains("straggler")) << Findings();
}

// A host of its own, whose clock nothing compares.
TEST_F(GoodputSituations, ARankThatBeginsLaterByAnotherClock) {
  const auto told = [&](double end) {
    std::vector<Event> events =
        Planted(FourRanks([&](int rank) { return std::pair(rank == 2 ? 2.5 : 0.5, end); }));
    for (Event& event : events) {
      if (event.writer.starts_with("host/2")) event.writer.replace(0, 4, "next");
    }
    Told(events);
    return Findings();
  };
  EXPECT_TRUE(told(10).contains("it may be a straggler, or its host's clock ahead")) << Findings();
  // Its steps end with the others', so it is not the clock.
  EXPECT_TRUE(told(9.5).contains("later than other ranks: it may be a straggler.")) << Findings();
}

// A step of 400 s in which rank 1 was frozen, while the others told that they live.
TEST_F(GoodputSituations, ASlowStepNamesWhoWasSilent) {
  std::string scenario = "[0] 0 start";
  const auto rank = [&](bool frozen) {
    for (int k = 0; k < 50; ++k) scenario += fmt::format("; {} step {}", 10 * k, k);
    if (!frozen) scenario += Heartbeats(500, 890);
    for (int k = 50; k < 100; ++k) scenario += fmt::format("; {} step {}", 10 * k + 400, k);
    scenario += "; 1400 end";
  };
  rank(false);
  scenario += "; [1] 0 start";
  rank(true);
  scenario += "; [2] 0 start";
  rank(false);
  Told(scenario);
  EXPECT_TRUE(
      Findings().contains("bucket SLOW_STEP, 1 attempt; longest: step 49 of attempt 1, by "
                          "400 s; rank 1 gave no sign of life in it"))
      << Findings();
}

// Workers of rank 0's loader, which were forked from it, record with its recorder.
TEST_F(GoodputSituations, AProcessForkedFromTheLeader) {
  const std::string job =
      "[0] 0 start; 0..1000 steps 0..99; 1000 end; [1] 0 start; 0..1000 steps 0..99";
  EXPECT_EQ(Told(job), "PRODUCTIVE 1000");
  EXPECT_EQ(Told(job + "; [0w] 100..110 load; 500..520 load; [0v] 300 heartbeat; 600 heartbeat"),
            "PRODUCTIVE 1000");
  EXPECT_EQ(Disruptions(), 0);
}

// The others have the steps that rank 0's log lacks.
TEST_F(GoodputSituations, TheLeadersLogLacksItsBeginning) {
  const std::string others =
      "; [1] 0 start; 0..1000 steps 0..99; 1000 end; [2] 0 start; 0..1000 steps 0..99";
  EXPECT_EQ(Told("[0] 600..1000 steps 60..99; 1000 end" + others), "PRODUCTIVE 1000");
  EXPECT_EQ(NoteOf("other_leader"),
            "parts of an attempt are told by another rank: the log of the lowest one has gaps: "
            "attempt 1 to 600 s after its start by rank 1");
  // Also across a restart, from step 60 on again.
  const std::string again = "; [1b] 1100 start; 1100..1500 steps 60..99; 1500 end";
  EXPECT_EQ(Told("[0] 0 start; 0..500 steps 0..49; [0b] 1250..1500 steps 75..99; 1500 end" +
                 others + again),
            "PRODUCTIVE 1000, WASTED_PROGRESS_FROM_DISRUPTION 400, "
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100");
}

// Rank 1 was replaced meanwhile: its new log begins in the midst of steps too.
TEST_F(GoodputSituations, AReplacedRankGoesOnWhereTheLeadersLogBreaksOff) {
  EXPECT_EQ(Told("[0] 0 start; 0..500 steps 0..49; 500..550 saving 49; 550..1000 steps 50..94; "
                 "[1] 0 start; 0..300 steps 0..29; "
                 "[1b] 400 start; 400..500 steps 40..49; 550..2000 steps 50..194; 2000 end"),
            "PRODUCTIVE 1950, UNPRODUCTIVE_CHECKPOINT_SAVE_TIME 50");
}

// The others are in step 50, which the leader did not begin.
TEST_F(GoodputSituations, AHangOfTheLeaderBetweenSteps) {
  const std::string word = " process_end exception RuntimeError: Timed out waiting";
  std::string scenario = "[0] 0 start";
  for (int rank = 0; rank < 3; ++rank) {
    if (rank > 0) scenario += fmt::format("; [{}] 0 start", rank);
    for (int k = 0; k < (rank == 0 ? 50 : 51); ++k) {
      scenario += fmt::format("; {} step {}; {} step_end {}", 10 * k, k, 10 * k + 10, k);
      if (k == 50) scenario.resize(scenario.rfind(';'));
    }
    scenario += Heartbeats(510, 1100) + (rank == 0 ? "" : "; 1110" + word);
  }
  EXPECT_EQ(Told(scenario), "HUNG_STEP 600, PRODUCTIVE 500, OTHER 10");
}

TEST_F(GoodputSituations, AFailedJobStopsWhenNobodyLivesOn) {
  const std::string job =
      "[0] 0 start; 0..100 steps 0..9; [1] 0 start; 0..100 steps 0..9; 100 process_end exception "
      "ValueError: x";
  Told(job, 150);
  EXPECT_EQ(State(), "running");
  Told(job, 400);
  EXPECT_EQ(State(), "failed");
}

TEST_F(GoodputSituations, AResumeMarkerJustAfterTheFirstStep) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; [1] 0 start; 0..100 steps 0..9; [0b] 150 start; "
                 "150..200 steps 10..14; 200 end; [1b] 150 start; 150 step 10; 150.01 resume 10; "
                 "160..200 steps 11..14; 200 end"),
            "PRODUCTIVE 140, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 60");
  EXPECT_EQ(Disruptions(), 1);
}

TEST_F(GoodputSituations, WhoIsNotThereYetIsNoHang) {
  const std::string refused =
      "process_end exception RuntimeError: Gloo connectFullMesh failed: timed out connecting: "
      "Connection refused";
  Told("[0] 0 start; 60 heartbeat; [1] 0 start; 60 " + refused + "; [2] 0 start; 60 " + refused +
       "; [3] 0 start; 60 " + refused);
  EXPECT_FALSE(answer_.verdict.contains("hang")) << answer_.verdict;
}

// Withdrawn, or long overdue.
TEST_F(GoodputSituations, ANoticeLongBeforeTheEnd) {
  Told(
      "[0] 0 start; 0..1000 steps 0..99; [1] 0 start; 0..1000 steps 0..99; 100 notice SIGTERM; "
      "1000 process_end exception ValueError: late; [0b] 1100 start; 1100..1200 steps 99..108; "
      "1200 end");
  EXPECT_EQ(Cause(), "exception ValueError: late (rank 1)");
}

}  // namespace
}  // namespace stepscope::testing::goodput_evidence_test
