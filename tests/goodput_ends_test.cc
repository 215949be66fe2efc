// Clocks, and how attempts and jobs end.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "goodput/live/ingest.h"
#include "goodput/recorder/segment_name.h"
#include "report/phrase_format.h"
#include "tests/goodput_situations.h"

namespace stepscope::testing::goodput_ends_test {
namespace {

using goodput::Event;
using goodput::EventKind;
using goodput::ScenarioTime;

// 8. Clocks.

// Twenty minutes of steps; the wall clock is set by an hour after ten.
TEST_F(GoodputSituations, AClockThatIsSet) {
  for (const double leap : {3600.0, -3600.0}) {
    std::vector<Event> events = Planted("[0] 0 start; 0..1200 steps 0..119; 1200 end");
    for (Event& event : events) {
      event.monotonic = event.time - ScenarioTime(-500);
      if (event.time > ScenarioTime(600)) event.time += static_cast<int64_t>(leap) * kSecond;
    }
    EXPECT_EQ(Told(events), "PRODUCTIVE 1200");
    EXPECT_EQ(State(), "ended");
    EXPECT_TRUE(Notes("clock_step"));
  }
}

// Every face tells the job's time to its planned end, though the process lived on.
TEST_F(GoodputSituations, APlannedEndAndALaterResume) {
  const std::string first = "[0] 0 start; 0..600 steps 0..9; 600 end" + Heartbeats(610, 900);
  EXPECT_EQ(Told(first), "PRODUCTIVE 600");
  EXPECT_EQ(Told(first + "; [0b] 7800 start; 7800..8400 steps 10..19; 8400 end"),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 7200, PRODUCTIVE 1200");
}

TEST_F(GoodputSituations, AFailureSaysWhatItLost) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; 100 process_end exception ValueError: x"),
            "PRODUCTIVE 90, WASTED_PROGRESS_FROM_DISRUPTION 10");
  EXPECT_TRUE(Findings().contains("(the job stopped in an open step)")) << Findings();
  EXPECT_TRUE(answer_.verdict.contains("(job failed: exception ValueError: x)")) << answer_.verdict;
}

TEST_F(GoodputSituations, ASpanOfTheUsersThatNeverEndedHasItsName) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; 100 step_end 9; 100 eval" +
                 Heartbeats(110, 1900) + "; [0b] 2000 start; 2000..2100 steps 10..19; 2100 end"),
            "CUSTOM 1800, PRODUCTIVE 200, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100");
  EXPECT_TRUE(Findings().contains("EVAL did not end for 30.0 min: it may have hung."))
      << Findings();
}

TEST_F(GoodputSituations, ASpanThatNeverEndedIsNothingToMakeFaster) {
  EXPECT_EQ(Told("[0] 0 start; 0..100 steps 0..9; 100 step_end 9; 100 load" +
                 Heartbeats(110, 1900) + "; [0b] 2000 start; 2000..2100 steps 10..19; 2100 end"),
            "DATA_LOADING_SYNC 1800, PRODUCTIVE 200, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 100");
  EXPECT_TRUE(
      Findings().contains("Blocking data loading did not end for 30.0 min: it may have "
                          "hung."))
      << Findings();
  EXPECT_FALSE(Findings().contains("prefetch")) << Findings();
}

TEST_F(GoodputSituations, OneExceptionInOneStepAgainAndAgain) {
  std::string scenario;
  for (int k = 0; k < 3; ++k) {
    scenario += fmt::format(
        "[0{0}] {1} start; {1}..{2} steps 0..9; {2} process_end exception ValueError: bad row;",
        std::string(1, static_cast<char>('a' + k)), 200 * k, 200 * k + 100);
  }
  Told(scenario);
  EXPECT_TRUE(
      Findings().contains("3 attempts in a row ended in step 9: exception ValueError: bad "
                          "row"))
      << Findings();
}

// Two starts in a row that fail by an exception are no reason to look at nodes.
TEST_F(GoodputSituations, StartsThatFailByAnException) {
  Told(
      "[0] 0 start; 0 prep; 30 process_end exception FileNotFoundError: train.bin;"
      "[0b] 60 start; 60 prep; 90 process_end exception FileNotFoundError: train.bin;"
      "[0c] 120 start; 120 prep; 150 process_end exception FileNotFoundError: train.bin");
  EXPECT_TRUE(Findings().contains("2 attempts ended before their first step")) << Findings();
  EXPECT_FALSE(Findings().contains("check nodes")) << Findings();
  EXPECT_TRUE(answer_.verdict.contains("FileNotFoundError: train.bin")) << answer_.verdict;
}

// The first attempt ran on host a; the second on host b, whose clock is an hour ahead. The server
// gets each event when it happens.
TEST_F(GoodputSituations, ARestartOnAHostAnHourAhead) {
  const int64_t now = goodput::WallClock() - ScenarioTime(0);
  auto ingest = goodput::Ingest::Open(store_);
  ASSERT_TRUE(ingest);
  for (Event event : Planted("[0] -1060 start; -1060..-60 steps 0..99;"
                             "[0b] 0 start; 0..100 steps 99..108; 100 end")) {
    const bool second = event.writer.ends_with("b-");
    event.writer.replace(0, 4, second ? "b" : "a");
    event.time += now + (second ? kHour : 0);
    std::string line;
    goodput::AppendJsonLine(event, line);
    EXPECT_EQ((*ingest)->Take(line).stored, 1);
  }
  const auto answer = GoodputReport({.store = store_, .at = now + ScenarioTime(200)});
  ASSERT_TRUE(answer);
  answer_ = *answer;
  EXPECT_TRUE(Notes("clock_ahead"));
  std::map<std::string, double> told;
  for (const Row& row : RowsOf(answer_, "goodput", "buckets")) {
    told[row.Text("bucket")] = Seconds(row.Int("time"));
  }
  // From the start of step 99 at -70 s on.
  EXPECT_NEAR(told["INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION"], 70, 5);
  EXPECT_NEAR(told["PRODUCTIVE"], 1090, 1);
  EXPECT_EQ(told.size(), 2u);
  // What it stored, it exports; elsewhere the answer is the same.
  const std::string log = Export(GoodputExportFormat::kJsonLines, "export.jsonl");
  const auto again = GoodputReport({.files = {log}, .at = now + ScenarioTime(200)});
  ASSERT_TRUE(again);
  EXPECT_EQ(BucketsOf(RowsOf(*again, "goodput", "buckets")),
            BucketsOf(RowsOf(answer_, "goodput", "buckets")));
}

// 9. Ends and causes.

TEST_F(GoodputSituations, StatesStopCounting) {
  const std::string steps = "[0] 0 start; 0..100 steps 0..9; 100 step_end 9; 105 heartbeat";
  for (const auto& [end, state] : std::vector<std::pair<std::string, std::string>>{
           {"", "silent"},
           {"; 105 process_end exception ValueError: x", "failed"},
           {"; 105 job_state failed", "failed"},
           {"; 105 job_state cancelled", "cancelled"},
           {"; 105 job_state timed out", "timed out"},
           {"; 105 job_state completed", "ended"}}) {
    EXPECT_EQ(Told(steps + end), "PRODUCTIVE 100, OTHER 5") << end;
    EXPECT_EQ(State(), state);
  }
}

TEST_F(GoodputSituations, TheFirstToGoNamesTheCause) {
  const std::string again =
      "[0b] 90 start; 90..100 steps 3..3; 100 end; [1b] 90 start; 90..100 steps 3..3; 100 end;"
      "[2b] 90 start; 90..100 steps 3..3; 100 end";
  const auto cause = [&](const std::string& zero, const std::string& one, const std::string& two) {
    Told("[0] 0 start; 0..30 steps 0..2; 30 step_end 2; " + zero +
         "; [1] 0 start; 0..30 steps 0..2; 30 step_end 2; " + one +
         "; [2] 0 start; 0..30 steps 0..2; 30 step_end 2; " + two + ";" + again);
    return Cause();
  };
  const std::string sigterm = "35 notice SIGTERM", peer =
                                                       "35 process_end exception "
                                                       "RuntimeError: connection closed by peer";
  // SIGKILL: torchrun stops the others, or they see a closed connection.
  EXPECT_EQ(cause(sigterm, sigterm, "31 heartbeat"), "killed without a word (rank 2)");
  EXPECT_EQ(cause(peer, peer, "31 heartbeat"), "killed without a word (rank 2)");
  EXPECT_EQ(
      cause(sigterm, "34 process_end exception OutOfMemoryError: CUDA out of memory", sigterm),
      "exception OutOfMemoryError: CUDA out of memory (rank 1)");
  EXPECT_EQ(cause(peer, "34 process_end exception ValueError: loss is nan", sigterm),
            "exception ValueError: loss is nan (rank 1)");
  // All were asked to go.
  EXPECT_EQ(cause(sigterm, sigterm, sigterm), "announced: SIGTERM");
  const std::string then = "33 notice SIGTERM; " + peer;
  EXPECT_EQ(cause(then, then, "33 notice SIGTERM"), "announced: SIGTERM");
}

// Rank 1 hangs and its heartbeats go on, until NCCL's timeout ends the others.
TEST_F(GoodputSituations, ATimeoutIsAHang) {
  const std::string timeout =
      "1830 process_end exception DistBackendError: Watchdog caught collective operation timeout";
  Told("[0] 0 start; 0..30 steps 0..2; 30 step 3" + Heartbeats(40, 1820) + ";" + timeout +
       ";[1] 0 start; 0..30 steps 0..2; 30 step 3" + Heartbeats(42, 1822) +
       ";[0b] 1900 start; 1900..1920 steps 3..4; 1920 end;"
       "[1b] 1900 start; 1900..1920 steps 3..4; 1920 end");
  EXPECT_EQ(Cause(),
            "hang: exception DistBackendError: Watchdog caught collective operation timeout "
            "(rank 0)");
  EXPECT_TRUE(Findings().contains("watchdog")) << Findings();
}

// All ranks but one began step 4, and hang in it.
TEST_F(GoodputSituations, WhoIsBehindInAHang) {
  std::string scenario;
  for (int rank = 0; rank < 4; ++rank) {
    scenario += fmt::format(
        "[{0}] 0 start; 0..40 steps 0..3; {1}{2}; [{0}b] 1900 start;"
        "1900..1920 steps 4..5; 1920 end;",
        rank, rank == 2 ? "40 heartbeat" : "40 step 4", Heartbeats(50, 1840));
  }
  Told(scenario);
  EXPECT_TRUE(
      Findings().contains("attempt 1 ended in step 4 after 29.8 min, in which rank 2 did not "
                          "begin step 4"))
      << Findings();
}

// The job's own limit of silence.
TEST_F(GoodputSituations, SilenceHasALimitThatOneCanSet) {
  for (const auto& [limit, state] : std::vector<std::pair<std::string, std::string>>{
           {"10m", "silent"}, {"2h", "running"}, {"soon", "running"}}) {
    std::vector<Event> events = Planted("[0] 0 start; 0..100 steps 0..9; 100 heartbeat");
    events.insert(events.begin(), events.front());
    events.front().kind = EventKind::kLabel;
    events.front().text = "silence=" + limit;
    for (size_t k = 0; k < events.size(); ++k) events[k].sequence = static_cast<int64_t>(k);
    Told(events, 1000);
    EXPECT_EQ(State(), state) << limit;
  }
}

// Rank 0 dies at 40, rank 1 tells signs of life until 100.
TEST_F(GoodputSituations, DeathIsDatedByTheLastSignOfAnyRank) {
  EXPECT_EQ(Told("[0] 0 start; 0..40 steps 0..3; 40 step_end 3;"
                 "[1] 0 start; 0..40 steps 0..3; 40 step_end 3" +
                 Heartbeats(50, 100) +
                 "; [0b] 160 start; 160..180 steps 4..5; 180 end;"
                 "[1b] 160 start; 160..180 steps 4..5; 180 end"),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 60, OTHER 60, PRODUCTIVE 60");
}

// 10. What few of the processes tell.

// Rank 0's recorder dies after 1000 s; the other ranks go on for an hour more.
TEST_F(GoodputSituations, TheLeadersLogBreaksOff) {
  const std::string first = "[0] 0 start; 0..1000 steps 0..99; 1000 heartbeat;";
  std::string others;
  for (const int rank : {1, 2, 3}) {
    others += fmt::format("[{0}] 0.1 start; 0.1..4600.1 steps 0..459; 4600 end;", rank);
  }
  EXPECT_EQ(Told(first + others), "PRODUCTIVE 4600");
  EXPECT_EQ(State(), "ended");
  EXPECT_EQ(
      NoteOf("other_leader"),
      "parts of an attempt are told by another rank: the log of the lowest one has gaps: attempt 1 "
      "from 1000 s after its start on by rank 1, with steps at most 370 s apart");
  EXPECT_FALSE(Findings().contains("hung")) << Findings();
}

// The job ends by an exception an hour after rank 0's log broke off: that is no death of rank 0.
TEST_F(GoodputSituations, ABrokenLogIsNoCauseOfTheEnd) {
  const std::string next =
      "[0b] 5000 start; 5000..5100 steps 460..469; 5100 end;"
      "[1b] 5000 start; 5000..5100 steps 460..469; 5100 end";
  EXPECT_EQ(Told("[0] 0 start; 0..1000 steps 0..99;"
                 "[1] 0 start; 0..4600 steps 0..459; 4600 step_end 459;"
                 "4601 process_end exception RuntimeError: connection closed by peer;" +
                 next),
            "PRODUCTIVE 4700, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 399, OTHER 1");
  EXPECT_EQ(Cause(), "exception RuntimeError: connection closed by peer");
}

// After the crash at 100, rank 1's old process goes on with heartbeats while the next attempt runs.
TEST_F(GoodputSituations, AProcessThatWasLeftOverDatesNoDeath) {
  std::string scenario;
  for (int rank = 0; rank < 4; ++rank) {
    scenario += fmt::format(
        "[{0}] 0 start run~torchelastic.x.0; 0..100 steps 0..9; 100 heartbeat{1};"
        "[{0}b] 400 start run~torchelastic.x.1; 400..600 steps 10..29; 600 end;",
        rank, rank == 1 ? Heartbeats(110, 590) : "");
  }
  EXPECT_EQ(Told(scenario), "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 300, PRODUCTIVE 300");
  EXPECT_EQ(Disruptions(), 1);
}

// Rank 3 hangs before step 4; its heartbeats go on. The others' timeouts only tell of it.
TEST_F(GoodputSituations, AHangIsOfTheRankThatOthersWaitFor) {
  const auto cause = [&](const std::string& last_of_three) {
    std::string scenario;
    for (int rank = 0; rank < 4; ++rank) {
      const std::string ends = "exception DistBackendError: collective operation timeout";
      scenario += fmt::format(
          "[{0}] 0 start; 0..40 steps 0..3;{1}{2}; [{0}b] 1900 start; 1900..1920 steps 4..5;"
          "1920 end;",
          rank, rank == 3 ? last_of_three : "40 step 4",
          Heartbeats(50, 1840) +
              (rank == 3 ? "" : fmt::format("; {} process_end {}", 1841 + rank, ends)));
    }
    Told(scenario);
    return Cause();
  };
  const std::string timeout = "exception DistBackendError: collective operation timeout (rank 0)";
  EXPECT_EQ(cause("40 heartbeat"), "hang: rank 3 did not begin step 4, then " + timeout);
  EXPECT_EQ(cause("40 step 4"), "hang: rank 3 alone told no timeout, others: " + timeout);
  // The launcher stops it in the end.
  EXPECT_EQ(cause("1850 process_end exception KeyboardInterrupt"),
            "hang: rank 3 did not begin step 4, then " + timeout);
}

// Rank 0 is killed at 40; the others wait for it until their collectives time out.
TEST_F(GoodputSituations, WaitingForADeadRankIsNoHang) {
  std::string scenario =
      "[0] 0 start; 0..50 steps 0..4; 41 heartbeat; [0b] 700 start;"
      "700..720 steps 5..6; 720 end;";
  for (int rank = 1; rank < 4; ++rank) {
    scenario += fmt::format(
        "[{0}] 0 start; 0..50 steps 0..4{1};"
        "640 process_end exception DistBackendError: collective operation timeout;"
        "[{0}b] 700 start; 700..720 steps 5..6; 720 end;",
        rank, Heartbeats(50, 630));
  }
  Told(scenario);
  EXPECT_EQ(Cause(), "killed without a word (rank 0)");
  EXPECT_TRUE(
      Findings().contains("in which the others waited for a process that was killed "
                          "without a word (rank 0)"))
      << Findings();
  EXPECT_FALSE(Findings().contains("stacks of all ranks")) << Findings();
}

TEST_F(GoodputSituations, OneExceptionOfSeveralRanksIsTheSame) {
  std::string starts, steps;
  for (int k = 0; k < 4; ++k) {
    for (int rank = 0; rank < 2; ++rank) {
      const std::string name = std::to_string(rank) + static_cast<char>('a' + k);
      const std::string end =
          rank == k % 2 ? "process_end exception ValueError: bad row" : "notice";
      starts +=
          fmt::format("[{0}] {1} start; {1} prep; {2} {3};", name, 200 * k, 200 * k + 50 + rank,
                      k == 1 && rank == 1 ? "process_end exception OSError: no disk" : end);
      steps += fmt::format("[{0}] {1} start; {1}..{2} steps 0..9; {2} {3};", name, 200 * k,
                           200 * k + 100, end);
    }
  }
  Told(starts);
  EXPECT_TRUE(Findings().contains("3 attempts ended before their first step")) << Findings();
  EXPECT_TRUE(Findings().contains("; 2 of 3: exception ValueError: bad row")) << Findings();
  EXPECT_FALSE(Findings().contains("check nodes")) << Findings();
  EXPECT_FALSE(Findings().contains("cache what is equal")) << Findings();
  Told(steps);
  EXPECT_TRUE(
      Findings().contains("4 attempts in a row ended in step 9: exception ValueError: bad "
                          "row."))
      << Findings();
}

// What failed or hung is nothing to make faster.
TEST_F(GoodputSituations, WhatFailedIsNothingToShorten) {
  Told("[0] 0 start; 0..60 init; 60 prep; 400 process_end exception ValueError: bad config");
  EXPECT_EQ(Findings(),
            "The job ended before its first step: exception ValueError: bad config. (it lasted 400 "
            "s): mend what the exception names: another start meets it again\n");
  const std::string steps = "[0] 0 start; 0..100 steps 0..9; 100 step_end 9";
  EXPECT_EQ(Told(steps + "; 100 eval; 400 process_end exception ValueError: nan"),
            "CUSTOM 300, PRODUCTIVE 100");
  EXPECT_FALSE(Findings().contains("EVAL")) << Findings();
  Told(steps + Heartbeats(110, 7300));
  EXPECT_TRUE(
      Findings().contains("No step began for 2.00 h after the last one ended: the job may "
                          "have hung."))
      << Findings();
  EXPECT_FALSE(Findings().contains("record custom events")) << Findings();
  // Steps of 56 years: none is awaited yet.
  Told("[0] 0 start; 0 step 0; 1780000000 step 1; 3560000000 step 2; 3560000010 step_end 2" +
           Heartbeats(3560000020, 3560007200),
       4e9);
  EXPECT_FALSE(Findings().contains("No step began")) << Findings();
}

// A job of 300 steps; days later another one takes its name.
TEST_F(GoodputSituations, TwoJobsOneAfterTheOther) {
  const auto jobs = [](const std::string& name, int first) {
    return fmt::format(
        "[0] 0 start ~slurm.1.0; 0..3000 steps 0..299; 3000 end; [0b] 15000 start ~slurm.{};"
        "15000..16000 steps {}..{}; 16000 end",
        name, first, first + 99);
  };
  EXPECT_EQ(Told(jobs("2.0", 0)), "EXCLUDED 12000, PRODUCTIVE 4000");
  EXPECT_TRUE(Findings().contains("2 jobs record under this name, one after the other"))
      << Findings();
  // Without a scheduler's word, that the first one ended as planned tells them apart.
  EXPECT_EQ(
      Told("[0] 0 start; 0..3000 steps 0..299; 3000 end; [0b] 15000 start; 15000..16000 steps "
           "0..99; 16000 end"),
      "EXCLUDED 12000, PRODUCTIVE 4000");
  // Of one job of the scheduler, or going on with the steps, they are one job.
  EXPECT_EQ(Told(jobs("2.0", 300)),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 12000, PRODUCTIVE 4000");
  EXPECT_EQ(Told(jobs("1.1", 0)),
            "INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 12000, WASTED_PROGRESS_FROM_DISRUPTION 3000, "
            "PRODUCTIVE 1000");
}

}  // namespace
}  // namespace stepscope::testing::goodput_ends_test
