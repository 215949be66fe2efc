// Checks jobs of several recording processes: who leads, and where attempts begin.
#include "goodput/accounting/lineup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/scenario.h"

namespace stepscope::goodput::lineup_test {
namespace {

// The same log, process by process and mixed by time: the answer is the same.
std::string InAnyOrder(const std::string& scenario, const PartitionQuery& query = {}) {
  std::vector<Event> events = EventsOf(scenario);
  const auto answer = [&] {
    Accounting accounting;
    for (const Event& event : events) accounting.Add(event);
    return Summary(accounting.Query(query));
  };
  const std::string first = answer();
  std::ranges::stable_sort(events, {}, &Event::time);
  EXPECT_EQ(answer(), first);
  std::ranges::stable_sort(events, std::greater<>(), &Event::writer);
  EXPECT_EQ(answer(), first);
  return first;
}

// A healthy hour of two ranks.
TEST(Lineup, TheLowestRankLeads) {
  EXPECT_EQ(InAnyOrder(R"([0] 0 start; 0..3600 steps 0..359; 3600 end
                          [1] 0.1 start; 0.1..3600 steps 0..359; 3600 end)"),
            "total 3600: PRODUCTIVE 3600; 0 disruptions; last step 359");
}

// Four ranks, of which the first attempt's last sign is that of rank 1: 100 s, of which 55 are kept
// steps.
TEST(Lineup, ANewProcessOfARankBeginsAnAttempt) {
  EXPECT_EQ(InAnyOrder(R"([0] 0 start; 10..35 steps 0..4
                          [1] 1 start; 10..35 steps 0..4; 40 heartbeat
                          [2] 2 start; 10..35 steps 0..4
                          [3] 1 start; 10..35 steps 0..4
                          [0b] 62 start; 70..105 steps 4..10; 105 end
                          [1b] 60 start; 70..105 steps 4..10; 105 end
                          [2b] 63 start; 70..105 steps 4..10; 105 end
                          [3b] 61 start; 70..105 steps 4..10; 105 end)"),
            "total 105: PRODUCTIVE 55, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 20, OTHER 20, "
            "WASTED_PROGRESS_FROM_DISRUPTION 10; 1 disruption; last step 10");
}

// Three attempts, of which the second dies before its first step; in it rank 0 told nothing.
TEST(Lineup, RanksThatDiedEarlyDoNotJoinAttempts) {
  Accounting accounting = AccountingOf(R"([0] 0 start; 0..20 steps 0..1
                                          [1] 0 start; 0..20 steps 0..1; 20 heartbeat
                                          [1b] 40 start; 50 heartbeat
                                          [0c] 80 start; 80..100 steps 2..3; 100 end
                                          [1c] 80.5 start; 80.5..100 steps 2..3; 100 end)");
  const Partition p = accounting.Query();
  EXPECT_EQ(Summary(p),
            "total 100: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 50, PRODUCTIVE 40, OTHER 10; "
            "2 disruptions; last step 3");
  EXPECT_EQ(p.attempts.size(), 3u);
}

// All processes have the id of the batch script.
TEST(Lineup, ARepeatedNameIsCorrected) {
  std::vector<Event> events = EventsOf(R"([0] 0 start; 0..20 steps 0..1
                                          [1] 0 start; 0..20 steps 0..1
                                          [0b] 50 start; 50..70 steps 1..2; 70 end
                                          [1b] 51 start; 51..70 steps 1..2; 70 end)");
  Accounting accounting;
  for (Event& event : events) {
    event.attempt = "batch";
    accounting.Add(event);
  }
  EXPECT_EQ(Summary(accounting.Query()),
            "total 70: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 40, PRODUCTIVE 30; "
            "1 disruption; last step 2");
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kRepeatedAttempt), 1);
}

TEST(Lineup, NamesByProcessAreJoined) {
  std::vector<Event> events = EventsOf(
      "[0] 0 start; 0..20 steps 0..1; 20 end;"
      "[1] 0 start; 0..20 steps 0..1; 20 end");
  Accounting accounting;
  for (Event& event : events) {
    event.attempt = "uuid of " + event.writer;
    accounting.Add(event);
  }
  EXPECT_EQ(Summary(accounting.Query()), "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kAttemptNames), 1);
}

// Each rank tells where it resumes.
TEST(Lineup, ResumeMarkersOfSeveralRanksAreOne) {
  EXPECT_EQ(InAnyOrder(R"([0] 0 start; 1 resume 5; 2..42 steps 5..8; 42 end
                          [1] 0 start; 1.5 resume 5; 2..42 steps 5..8; 42 end)"),
            "total 42: PRODUCTIVE 40, OTHER 2; 0 disruptions; last step 8");
  // In one log without the names of processes.
  std::vector<Event> events = EventsOf(
      "0 start; 1 resume 5; 2 step 5; 2.5 resume 5; 2.6 step 5;"
      "12 step 6; 22 end");
  Accounting accounting;
  for (Event& event : events) {
    event.attempt = "a";
    accounting.Add(event);
  }
  EXPECT_EQ(Summary(accounting.Query()),
            "total 22: PRODUCTIVE 20, OTHER 2; 0 disruptions; last step 6");
}

// The scheduler counts a restart, so rank 0 does not join what rank 1 began.
TEST(Lineup, RestartsOfLaunchersBeginAttempts) {
  std::vector<Event> events = EventsOf(
      "[1] 0 start; 5 heartbeat; [0] 20 start; 20..40 steps 0..1;"
      "40 end");
  for (const std::string kind : {"~slurm.4711.", "name~torchelastic.run."}) {
    Accounting accounting;
    for (Event& event : events) {
      event.attempt = kind + (event.writer.starts_with("host/1") ? "0" : "1");
      accounting.Add(event);
    }
    EXPECT_EQ(accounting.Query().attempts.size(), 2u) << kind;
  }
}

// Rank 1 is replaced while the others go on.
TEST(Lineup, AReplacedRankIsNoAttempt) {
  EXPECT_EQ(InAnyOrder(R"([0] 0 start; 0..1000 steps 0..99; 1000 end
                          [1] 0 start; 0..300 steps 0..29
                          [1b] 400 start; 410..1000 steps 41..99; 1000 end)"),
            "total 1000: PRODUCTIVE 1000; 0 disruptions; last step 99");
}

TEST(Lineup, TwoJobsUnderOneNameAreTold) {
  Accounting accounting = AccountingOf(
      "[0] 0 start; 0..1000 steps 0..99; 1000 end;"
      "[0b] 200 start; 200..900 steps 0..699; 900 end");
  const Partition p = accounting.Query();
  EXPECT_EQ(Summary(p), "total 1000: PRODUCTIVE 1000; 0 disruptions; last step 99");
  EXPECT_EQ(p.other_jobs, 1);
}

// Without ranks, processes that overlap are of one attempt, and those that follow of the next.
TEST(Lineup, UnknownRanksAreToldApartByTime) {
  Accounting accounting = AccountingOf(R"([-a] 0 start; 0..20 steps 0..1
                                          [-b] 0 start; 0..20 steps 0..1
                                          [-c] 40 start; 40..60 steps 1..2; 60 end
                                          [-d] 41 start; 41..60 steps 1..2; 60 end)");
  EXPECT_EQ(accounting.Query().attempts.size(), 2u);
  EXPECT_EQ(Summary(accounting.Query()),
            "total 60: INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 30, PRODUCTIVE 30; "
            "1 disruption; last step 2");
}

// Rank 2 dies at 30; torchrun stops the others by SIGTERM, which they take for a notice.
TEST(Lineup, SurvivorsOfACrashAreFollowers) {
  Accounting accounting = AccountingOf(R"([0] 0 start; 0..30 steps 0..2; 35 notice SIGTERM
                                          [1] 0 start; 0..30 steps 0..2; 35 notice SIGTERM
                                          [2] 0 start; 0..30 steps 0..2
                                          [0b] 60 start; 60..80 steps 2..3; 80 end
                                          [1b] 60 start; 60..80 steps 2..3; 80 end
                                          [2b] 60 start; 60..80 steps 2..3; 80 end)");
  const Partition p = accounting.Query();
  const Disruption& d = p.disruption_list.at(0);
  EXPECT_FALSE(d.announced);
  EXPECT_EQ(d.first_gone, "rank 2 on host");
  EXPECT_EQ(d.time, ScenarioTime(35));
}

// As torchrun showed: two attempts die before their first step, whose ranks come and go one after
// the other.
TEST(Lineup, RanksOfOneRestartStayTogether) {
  std::vector<Event> events = EventsOf(R"([0] 0 start; 1 heartbeat; [1] 0 start; 1 heartbeat
                                          [0b] 30 start; 30.2 heartbeat
                                          [1b] 31 start; 61 heartbeat
                                          [0c] 86 start; 120 heartbeat
                                          [1c] 88 start; 88.2 heartbeat)");
  for (const std::string name : {"", "batch~torchelastic.run."}) {
    Accounting accounting;
    for (Event event : events) {
      const char process = event.writer[event.writer.size() - 2];
      if (!name.empty()) event.attempt = name + (process == 'b' ? "1" : process == 'c' ? "2" : "0");
      accounting.Add(event);
    }
    EXPECT_EQ(accounting.Query().attempts.size(), 3u) << name;
  }
}

// Rank 2 was killed; the exceptions of the others only speak of it.
TEST(Lineup, TheFirstToGoNamesTheCause) {
  const std::string next = "[0b] 60 start; [1b] 60 start; [2b] 60 start";
  const auto cause = [&](const std::string& scenario) {
    return AccountingOf(scenario + ";" + next).Query().disruption_list.at(0).ended_by;
  };
  EXPECT_EQ(cause(R"([0] 0 start; 0..30 steps 0..2; 30.5 process_end exception Error: closed by peer
                     [1] 0 start; 0..30 steps 0..2; 30.6 process_end exception Error: closed by peer
                     [2] 0 start; 0..30 steps 0..2)"),
            "killed without a word (rank 2)");
  EXPECT_EQ(cause(R"([0] 0 start; 0..30 steps 0..2; 30.5 process_end exception Error: closed by peer
                     [1] 0 start; 0..30 steps 0..2; 30.6 process_end exception ValueError: x
                     [2] 0 start; 0..30 steps 0..2)"),
            "exception ValueError: x (rank 1)");
}

TEST(Lineup, TheLimitOfSilenceOutlivesARollup) {
  Accounting accounting = AccountingOf("[0] 0 start; 0..100 steps 0..9; 100 heartbeat");
  accounting.Add({.kind = EventKind::kLabel, .time = ScenarioTime(0), .text = "silence=2h"});
  Accounting loaded;
  ASSERT_TRUE(loaded.Load(accounting.SaveThinned(accounting)));
  for (const auto& [minutes, state] : {std::pair(90, "running"), std::pair(150, "silent")}) {
    const PartitionQuery query{.at = ScenarioTime(60 * minutes), .silence = kHour};
    EXPECT_EQ(accounting.Query(query).state, state);
    EXPECT_EQ(loaded.Query(query).state, state);
  }
}

TEST(Lineup, AManyRankJobStaysSmall) {
  Accounting accounting;
  for (int64_t step = 0; step < 1000; ++step) {
    for (int64_t rank = 1023; rank >= 0; --rank) {
      accounting.Add({.kind = EventKind::kStepStart,
                      .time = ScenarioTime(static_cast<double>(step)),
                      .writer = ScenarioWriter(std::to_string(rank)),
                      .sequence = step,
                      .step = step});
    }
  }
  EXPECT_EQ(Summary(accounting.Query()), "total 999: PRODUCTIVE 999; 0 disruptions; last step 998");
  EXPECT_LT(accounting.SaveThinned(accounting).size(), 1'000'000u);
}

}  // namespace
}  // namespace stepscope::goodput::lineup_test
