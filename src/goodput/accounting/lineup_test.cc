// Checks jobs of several recording processes: who leads, and where attempts begin.
#include "goodput/accounting/lineup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
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

size_t AttemptsOf(const std::string& scenario) {
  return AccountingOf(scenario).Query().attempts.size();
}

// The scenario, in which what follows "start" names all events of that process.
Accounting NamedByStarts(const std::string& scenario) {
  Accounting accounting;
  std::map<std::string, std::string> names;
  for (Event& event : EventsOf(scenario)) {
    if (event.kind == EventKind::kJobStart) names[event.writer] = event.attempt;
    event.attempt = names[event.writer];
    accounting.Add(event);
  }
  return accounting;
}

// Where one process has no name by the scheduler or by the launcher, nothing tells them apart.
TEST(Lineup, ProcessesThatNoLauncherNamesJoin) {
  for (const std::string name : {"job~slurm.7.0", "job~torchelastic.run.1"}) {
    for (const std::string other : {"job", ""}) {
      Accounting accounting = NamedByStarts("[0] 0 start " + name + "; 0..20 steps 0..1; 20 end;" +
                                            "[1] 0 start " + other + "; 0..20 steps 0..1; 20 end");
      EXPECT_EQ(accounting.Query().attempts.size(), 1u) << name << " " << other;
      EXPECT_EQ(accounting.note_counts().Count(NoteKind::kAttemptNames), 0);
    }
  }
}

// A process of unknown rank is of another job if its first step was far from those that the others
// made then: by ten steps where the others' end, by a minute between them.
TEST(Lineup, ProcessesWithoutARankThatAreInOtherSteps) {
  const std::string lead = "[-a] 0 start; 0..1000 steps 20..119; 1010 heartbeat; [-b] ";
  const auto others = [&](const std::string& told) {
    return AccountingOf(lead + told).Query().other_jobs;
  };
  EXPECT_EQ(others("0 start; 500 step 70"), 0);
  EXPECT_EQ(others("0 start; 500 step 77"), 0) << "step 76, before it, was made at 560 s";
  EXPECT_EQ(others("0 start; 500 step 78"), 1);
  EXPECT_EQ(others("0 start; 500 step 64"), 0) << "made at 440 s";
  EXPECT_EQ(others("0 start; 500 step 63"), 1);
  EXPECT_EQ(others("0 start; 500 step 129"), 0) << "10 steps beyond the last one";
  EXPECT_EQ(others("0 start; 500 step 130"), 1);
  EXPECT_EQ(others("0 start; 500 step 10"), 0) << "10 steps before the first one";
  EXPECT_EQ(others("0 start; 500 step 9"), 1);
  // Only while the others make steps, from the first to the last.
  EXPECT_EQ(others("0 start; 0 step 200"), 1);
  EXPECT_EQ(others("0 start; 990 step 50"), 1);
  EXPECT_EQ(others("0 start; 991 step 50"), 0);
  EXPECT_EQ(others("0 start; 500 heartbeat"), 0);
}

// Known ranks may join half a minute after the last sign of the others, unknown ones at once.
TEST(Lineup, HowLongARankMayBeLate) {
  const std::string first = "[0] 0 start; 0..20 steps 0..1; 20 heartbeat;";
  EXPECT_EQ(AttemptsOf(first + "[1] 50 start; 55 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(first + "[1] 50.1 start; 55 heartbeat"), 2u);
  EXPECT_EQ(AttemptsOf(first + "[-a] 20 start; 55 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(first + "[-a] 20.1 start; 55 heartbeat"), 2u);
}

// A process of rank 1 that begins while rank 1 lives is a helper, forked from it. If it tells a start,
// rank 1 must step on for a minute.
TEST(Lineup, HelpersOfARankJoin) {
  const std::string job = "[0] 0 start; 0..100 steps 0..9; 100 heartbeat; [1] 0 start; 0..100 steps 0..9;";
  EXPECT_EQ(AttemptsOf(job + "[1b] 80 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(job + "[1b] 90 heartbeat"), 2u) << "the last sign of rank 1";
  EXPECT_EQ(AttemptsOf(job + "[1b] 29 start; 95 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(job + "[1b] 30 start; 95 heartbeat"), 2u);
}

// A rank that goes back in its process while rank 0 steps on for more than a minute is none.
TEST(Lineup, ARankThatGoesBackAloneJoins) {
  const std::string own = "[1] 0 start; 0..100 steps 0..9; 100 resume 5; 100..150 steps 5..9;";
  EXPECT_EQ(AttemptsOf(own + "[0] 0 start; 0..170 steps 0..16; 170 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(own + "[0] 0 start; 0..150 steps 0..14; 170 heartbeat"), 2u);
  // The leader itself begins an attempt.
  EXPECT_EQ(AttemptsOf("[0] 0 start; 0..100 steps 0..9; 100 resume 5; 100..400 steps 5..34"), 2u);
}

// A name is looked for in the last eight attempts.
TEST(Lineup, ANameIsLookedForInEightAttempts) {
  const auto attempts = [](int after) {
    std::string log = "[0] 0 start run0; 0..9 steps 0..8; [2] 0 start run0; 500 heartbeat;";
    for (int k = 1; k <= after; ++k) {
      log += fmt::format("[0p{}] {} start run{}; {} heartbeat;", k, 10 * k, k, 10 * k + 8);
    }
    const std::string last = fmt::format("[1] {} start run0; 500 heartbeat", 10 * after + 9);
    return NamedByStarts(log + last).Query().attempts.size();
  };
  EXPECT_EQ(attempts(7), 8u) << "rank 1 joins the first one";
  EXPECT_EQ(attempts(8), 10u) << "rank 1 begins one";
}

// Ranks 2 and 3 had no process before. They began 10 and 15 s after the last sign of rank 0, and rank
// 0 again after 20 s: rank 3 is nearer to the new attempt, or has its name.
TEST(Lineup, WhoBeginsWithANewAttempt) {
  const auto processes = [](Accounting accounting) {
    std::vector<int64_t> all;
    for (const AttemptAccount& a : accounting.Query().attempts) all.push_back(a.processes);
    return all;
  };
  const std::string log = "[0] 0 start; 0..100 steps 0..9; 100 heartbeat;"
                          "[1] 0 start; 0..100 steps 0..9; 140 heartbeat;";
  const std::string next = "[0b] 120 start; 120..150 steps 8..10; 150 end";
  EXPECT_EQ(processes(AccountingOf(log + "[2] 109.9 start; 150 heartbeat;" + next)),
            (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(processes(AccountingOf(log + "[2] 110 start; 150 heartbeat;" + next)),
            (std::vector<int64_t>{2, 2}));
  const std::string a = "[0] 0 start a; 0..100 steps 0..9; 100 heartbeat;"
                        "[1] 0 start a; 0..100 steps 0..9; 140 heartbeat;";
  const std::string b = "[0b] 120 start b; 120..150 steps 8..10; 150 end";
  EXPECT_EQ(processes(NamedByStarts(a + "[2] 105 start b; 150 heartbeat;" + b)),
            (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(processes(NamedByStarts(a + "[2] 119 start a; 150 heartbeat;" + b)),
            (std::vector<int64_t>{3, 1}));
}

// The leader told no end: the end is the others', if it is not before the leader's last step.
TEST(Lineup, TheEndMayBeToldByOthers) {
  const auto ended = [](const std::string& end) {
    return AccountingOf("[0] 0 start; 0..100 steps 0..9; [1] 0 start; 0..90 steps 0..8;" + end)
        .Query()
        .attempts.at(0)
        .ended;
  };
  EXPECT_TRUE(ended("100 end"));
  EXPECT_TRUE(ended("90 end"));
  EXPECT_FALSE(ended("89.9 end"));
  EXPECT_TRUE(AccountingOf("[0] 0 start; 10 heartbeat; [1] 0 start; 8 end").Query().attempts.at(0).ended);
}

// The clock of host b is 60 s ahead: its last event is of 100 s. Asked twice, the answer is the same.
TEST(Lineup, MovedClocksStayMoved) {
  Accounting accounting = AccountingOf(R"([a/0] 0 start; 0..90 steps 0..8
                                          [a/1] 0 start; 0..90 steps 0..8
                                          [b/2] clock 60; 0 start; 0..90 steps 0..8; 100 heartbeat)");
  EXPECT_EQ(accounting.Query().end, ScenarioTime(100));
  accounting.Add({.kind = EventKind::kActivity, .time = ScenarioTime(100), .counts = {1, 1}});
  EXPECT_EQ(accounting.Query().end, ScenarioTime(100));
}

// What is known of the hosts of one attempt only is no reason to doubt their clocks.
TEST(Lineup, TwoClocksAreOfTwoHosts) {
  const auto doubted = [](const std::string& first, const std::string& second) {
    return AccountingOf(first + " 0 start; 0..100 steps 0..9;" + second +
                        " 5000 start; 5000..5100 steps 8..17")
        .Query()
        .disruption_list.at(0)
        .by_two_clocks;
  };
  EXPECT_TRUE(doubted("[a/0]", "[b/0b]"));
  EXPECT_FALSE(doubted("[a/0]", "[a/0b]"));
  EXPECT_FALSE(doubted("[a/0]", "[]"));
}

// A job that ended as planned: another one takes its name, and begins with step 0 or 1 again.
TEST(Lineup, AnotherJobTakesTheName) {
  const auto is_new = [](const std::string& first, const std::string& second) {
    return NamedByStarts("[0] 0 start; " + first + "[0b] 200 start; " + second).Query().attempts.at(1).new_job;
  };
  EXPECT_TRUE(is_new("0..100 steps 1..10; 100 end;", "200..300 steps 1..10"));
  EXPECT_FALSE(is_new("0..100 steps 2..11; 100 end;", "200..300 steps 2..11"));
  EXPECT_FALSE(is_new("0..100 steps 0..9; 100 end;", "200..300 steps 1..10"));
  EXPECT_FALSE(is_new("0..10 steps 0..0; 100 end;", "200..300 steps 0..9")) << "it made step 0 alone";
  EXPECT_FALSE(is_new("0..100 steps 0..9;", "200..300 steps 0..9")) << "it did not end as planned";
  // The library's log of a job, and a process that a scheduler names: they may be one job.
  Accounting mixed = NamedByStarts("0 start; 0..100 steps 0..9; 100 end;"
                                   "[0] 200 start run~slurm.7.0; 200..300 steps 0..9");
  EXPECT_FALSE(mixed.Query().attempts.at(1).new_job);
}

// Four ranks, of which some live on when the next attempt begins at 200 s: if two were gone by then, the
// last of them dates the end; if one was, those that live on do.
TEST(Lineup, ProcessesThatAreLeftOver) {
  const auto ended = [](const std::vector<double>& last) {
    std::string log;
    for (size_t r = 0; r < last.size(); ++r) {
      log += fmt::format("[{}] 0 start; 0..80 steps 0..7; {} heartbeat;", r, last[r]);
    }
    for (size_t r = 0; r < last.size(); ++r) log += fmt::format("[{}b] 200 start; 205 heartbeat;", r);
    const Partition p = AccountingOf(log).Query();
    return static_cast<double>(p.attempts.at(0).end - kScenarioStart) / 1e9;
  };
  EXPECT_EQ(ended({90, 100, 300, 300}), 100);
  EXPECT_EQ(ended({90, 300, 300, 300}), 200) << "until the next attempt";
  EXPECT_EQ(ended({90, 300, 300}), 200);
  EXPECT_EQ(ended({90, 100, 200, 300}), 100);
}

// "why; who went first", of the first attempt. All processes are of one host.
std::string HowItEnded(const std::string& scenario) {
  const AttemptAccount attempt = AccountingOf(scenario + "; [0z] 5000 start").Query().attempts.at(0);
  return fmt::to_string(attempt.cause) + "; " + fmt::to_string(attempt.first_gone);
}

// Who did not begin the last step, or alone told no timeout, is whom the others waited for.
TEST(Lineup, AHangIsOfWhoWasWaitedFor) {
  const std::string two = "[0] 0 start; 0..110 steps 0..10; 400 process_end Timeout in barrier;"
                          "[1] 0 start; 0..110 steps 0..10; 401 process_end Timeout in barrier;";
  EXPECT_EQ(HowItEnded(two + "[2] 0 start; 0..100 steps 0..9; 400 process_end Timeout in barrier"),
            "hang: rank 2 did not begin step 10, then Timeout in barrier (rank 0); rank 2 on host");
  EXPECT_EQ(HowItEnded(two + "[2] 0 start; 0..110 steps 0..10; 400 process_end exit"),
            "hang: rank 2 alone told no timeout, others: Timeout in barrier (rank 0); rank 2 on host");
  // Of four, two did not begin it: neither is named.
  EXPECT_EQ(HowItEnded(two + "[2] 0 start; 0..100 steps 0..9; 400 process_end Timeout in barrier;"
                             "[3] 0 start; 0..100 steps 0..9; 400 process_end Timeout in barrier"),
            "hang: 2 of 4 processes did not begin step 10, then Timeout in barrier (rank 0); ");
  // Of two ranks, one that told nothing may only not tell.
  EXPECT_EQ(HowItEnded("[0] 0 start; 0..110 steps 0..10; 400 process_end Timeout in barrier;"
                       "[1] 0 start; 0..110 steps 0..10; 400 process_end exit"),
            "hang: Timeout in barrier (rank 0); rank 0 on host");
}

// A process that tells of others is no cause if one was silent before it.
TEST(Lineup, WhoIsSilentBeforeOthersTellOfIt) {
  const auto how = [](const std::string& silent) {
    return HowItEnded("[0] 0 start; 0..30 steps 0..2; 30 process_end closed by peer;"
                      "[1] 0 start; 0..30 steps 0..2; 31 process_end closed by peer;"
                      "[2] 0 start; 0..30 steps 0..2;" + silent);
  };
  EXPECT_EQ(how("29.9 heartbeat"), "killed without a word (rank 2); rank 2 on host");
  EXPECT_EQ(how("30 heartbeat"), "closed by peer (rank 0); rank 0 on host");
  EXPECT_EQ(how("25 notice a"), "; ") << "it was told to go, so that the end was announced";
  EXPECT_EQ(how("25 process_end exit"), "closed by peer (rank 0); rank 0 on host");
}

// An exception before a notice is why a job is stopped; from the same moment on the notice is.
TEST(Lineup, ANoticeCountsIfNothingFailedBeforeIt) {
  const auto announced = [](double failed) {
    return AccountingOf(fmt::format("[0] 0 start; 0..30 steps 0..2; 40 notice a; [1] 0 start; 0..30 steps 0..2;"
                                    "{} process_end ValueError: x; [0b] 500 start",
                                    failed))
        .Query()
        .disruption_list.at(0)
        .announced;
  };
  EXPECT_FALSE(announced(39.9));
  EXPECT_TRUE(announced(40));
  EXPECT_TRUE(announced(340));
  EXPECT_FALSE(announced(340.1)) << "nobody is given more than five minutes to go";
}

TEST(Lineup, RanksAreNumbersFromZero) {
  EXPECT_EQ(WriterName::Of("host/0/boot/1/x").rank, 0);
  EXPECT_EQ(WriterName::Of("host/-5/boot/1/x").rank, kNoRank);
  EXPECT_EQ(WriterName::Of("host/five/boot/1/x").rank, kNoRank);
  EXPECT_EQ(WriterName::Of("worker_rank_12.log").rank, 12);
}

// The steps of a process that leads two attempts count once: nine and four of them are followed by another.
TEST(Lineup, AStepCountsOnce) {
  EXPECT_EQ(AccountingOf("[0] 0 start; 0..100 steps 0..9; 100..150 steps 5..9").step_clock().steps(), 11)
      << "the first step of each is no reference";
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
