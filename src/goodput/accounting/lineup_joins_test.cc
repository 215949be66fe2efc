// Checks which processes are of one attempt, which hosts have one clock, and why attempts ended:
// the limits of each rule.
#include <gtest/gtest.h>

#include <map>

#include "goodput/accounting/lineup.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::lineup_joins_test {
namespace {

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
TEST(LineupJoins, ProcessesThatNoLauncherNamesJoin) {
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
TEST(LineupJoins, ProcessesWithoutARankThatAreInOtherSteps) {
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
TEST(LineupJoins, HowLongARankMayBeLate) {
  const std::string first = "[0] 0 start; 0..20 steps 0..1; 20 heartbeat;";
  EXPECT_EQ(AttemptsOf(first + "[1] 50 start; 55 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(first + "[1] 50.1 start; 55 heartbeat"), 2u);
  EXPECT_EQ(AttemptsOf(first + "[-a] 20 start; 55 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(first + "[-a] 20.1 start; 55 heartbeat"), 2u);
}

// A process of rank 1 that begins while rank 1 lives is a helper, forked from it. If it tells a
// start, rank 1 must step on for a minute.
TEST(LineupJoins, HelpersOfARankJoin) {
  const std::string job =
      "[0] 0 start; 0..100 steps 0..9; 100 heartbeat; [1] 0 start; 0..100 steps 0..9;";
  EXPECT_EQ(AttemptsOf(job + "[1b] 80 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(job + "[1b] 90 heartbeat"), 2u) << "the last sign of rank 1";
  EXPECT_EQ(AttemptsOf(job + "[1b] 29 start; 95 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(job + "[1b] 30 start; 95 heartbeat"), 2u);
}

// A rank that goes back in its process while rank 0 steps on for more than a minute is none.
TEST(LineupJoins, ARankThatGoesBackAloneJoins) {
  const std::string own = "[1] 0 start; 0..100 steps 0..9; 100 resume 5; 100..150 steps 5..9;";
  EXPECT_EQ(AttemptsOf(own + "[0] 0 start; 0..170 steps 0..16; 170 heartbeat"), 1u);
  EXPECT_EQ(AttemptsOf(own + "[0] 0 start; 0..150 steps 0..14; 170 heartbeat"), 2u);
  // One that tells a start again begins an attempt, and so does the leader.
  EXPECT_EQ(AttemptsOf("[0] 0 start; 0..200 steps 0..19; [1] 0 start; 0..50 steps 0..4; 55 start; "
                       "60..200 steps 5..18"),
            2u);
  EXPECT_EQ(AttemptsOf("[0] 0 start; 0..100 steps 0..9; 100 resume 5; 100..400 steps 5..34"), 2u);
}

// A name is looked for in the last eight attempts.
TEST(LineupJoins, ANameIsLookedForInEightAttempts) {
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

// Ranks 2 and 3 had no process before. They began 10 and 15 s after the last sign of rank 0, and
// rank 0 again after 20 s: rank 3 is nearer to the new attempt, or has its name.
TEST(LineupJoins, WhoBeginsWithANewAttempt) {
  const auto processes = [](Accounting accounting) {
    std::vector<int64_t> all;
    for (const AttemptAccount& a : accounting.Query().attempts) all.push_back(a.processes);
    return all;
  };
  const std::string log =
      "[0] 0 start; 0..100 steps 0..9; 100 heartbeat;"
      "[1] 0 start; 0..100 steps 0..9; 140 heartbeat;";
  const std::string next = "[0b] 120 start; 120..150 steps 8..10; 150 end";
  EXPECT_EQ(processes(AccountingOf(log + "[2] 109.9 start; 150 heartbeat;" + next)),
            (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(processes(AccountingOf(log + "[2] 110 start; 150 heartbeat;" + next)),
            (std::vector<int64_t>{2, 2}));
  const std::string a =
      "[0] 0 start a; 0..100 steps 0..9; 100 heartbeat;"
      "[1] 0 start a; 0..100 steps 0..9; 140 heartbeat;";
  const std::string b = "[0b] 120 start b; 120..150 steps 8..10; 150 end";
  EXPECT_EQ(processes(NamedByStarts(a + "[2] 105 start b; 150 heartbeat;" + b)),
            (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(processes(NamedByStarts(a + "[2] 119 start a; 150 heartbeat;" + b)),
            (std::vector<int64_t>{3, 1}));
}

// The leader told no end: the end is the others', if it is not before the leader's last step.
TEST(LineupJoins, TheEndMayBeToldByOthers) {
  const auto ended = [](const std::string& end) {
    return AccountingOf("[0] 0 start; 0..100 steps 0..9; [1] 0 start; 0..90 steps 0..8;" + end)
        .Query()
        .attempts.at(0)
        .ended;
  };
  EXPECT_TRUE(ended("100 end"));
  EXPECT_TRUE(ended("90 end"));
  EXPECT_FALSE(ended("89.9 end"));
  EXPECT_TRUE(
      AccountingOf("[0] 0 start; 10 heartbeat; [1] 0 start; 8 end").Query().attempts.at(0).ended);
}

// The clock of host b is 60 s ahead: its last event is of 100 s. Asked twice, the answer is the
// same.
TEST(LineupJoins, MovedClocksStayMoved) {
  Accounting accounting = AccountingOf(R"([a/0] 0 start; 0..90 steps 0..8
                                          [a/1] 0 start; 0..90 steps 0..8
                                          [b/2] clock 60; 0 start; 0..90 steps 0..8; 100 heartbeat)");
  EXPECT_EQ(accounting.Query().end, ScenarioTime(100));
  accounting.Add({.kind = EventKind::kActivity, .time = ScenarioTime(100), .counts = {1, 1}});
  EXPECT_EQ(accounting.Query().end, ScenarioTime(100));
}

// What is known of the hosts of one attempt only is no reason to doubt their clocks.
TEST(LineupJoins, TwoClocksAreOfTwoHosts) {
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
TEST(LineupJoins, AnotherJobTakesTheName) {
  const auto is_new = [](const std::string& first, const std::string& second) {
    return NamedByStarts("[0] 0 start; " + first + "[0b] 200 start; " + second)
        .Query()
        .attempts.at(1)
        .new_job;
  };
  EXPECT_TRUE(is_new("0..100 steps 1..10; 100 end;", "200..300 steps 1..10"));
  EXPECT_FALSE(is_new("0..100 steps 2..11; 100 end;", "200..300 steps 2..11"));
  EXPECT_FALSE(is_new("0..100 steps 0..9; 100 end;", "200..300 steps 1..10"));
  EXPECT_FALSE(is_new("0..10 steps 0..0; 100 end;", "200..300 steps 0..9"))
      << "it made step 0 alone";
  EXPECT_FALSE(is_new("0..100 steps 0..9;", "200..300 steps 0..9")) << "it did not end as planned";
  // The library's log of a job, and a process that a scheduler names: they may be one job.
  Accounting mixed = NamedByStarts(
      "0 start; 0..100 steps 0..9; 100 end;"
      "[0] 200 start run~slurm.7.0; 200..300 steps 0..9");
  EXPECT_FALSE(mixed.Query().attempts.at(1).new_job);
}

// Four ranks, of which some live on when the next attempt begins at 200 s: if two were gone by
// then, the last of them dates the end; if one was, those that live on do.
TEST(LineupJoins, ProcessesThatAreLeftOver) {
  const auto ended = [](const std::vector<double>& last) {
    std::string log;
    for (size_t r = 0; r < last.size(); ++r) {
      log += fmt::format("[{}] 0 start; 0..80 steps 0..7; {} heartbeat;", r, last[r]);
    }
    for (size_t r = 0; r < last.size(); ++r)
      log += fmt::format("[{}b] 200 start; 205 heartbeat;", r);
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
  const AttemptAccount attempt =
      AccountingOf(scenario + "; [0z] 5000 start").Query().attempts.at(0);
  return fmt::to_string(attempt.cause) + "; " + fmt::to_string(attempt.first_gone);
}

// Who did not begin the last step, or alone told no timeout, is whom the others waited for.
TEST(LineupJoins, AHangIsOfWhoWasWaitedFor) {
  const std::string two =
      "[0] 0 start; 0..110 steps 0..10; 400 process_end Timeout in barrier;"
      "[1] 0 start; 0..110 steps 0..10; 401 process_end Timeout in barrier;";
  EXPECT_EQ(HowItEnded(two + "[2] 0 start; 0..100 steps 0..9; 400 process_end Timeout in barrier"),
            "hang: rank 2 did not begin step 10, then Timeout in barrier (rank 0); rank 2 on host");
  EXPECT_EQ(
      HowItEnded(two + "[2] 0 start; 0..110 steps 0..10; 400 process_end exit"),
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
TEST(LineupJoins, WhoIsSilentBeforeOthersTellOfIt) {
  const auto how = [](const std::string& silent) {
    return HowItEnded(
        "[0] 0 start; 0..30 steps 0..2; 30 process_end closed by peer;"
        "[1] 0 start; 0..30 steps 0..2; 31 process_end closed by peer;"
        "[2] 0 start; 0..30 steps 0..2;" +
        silent);
  };
  EXPECT_EQ(how("29.9 heartbeat"), "killed without a word (rank 2); rank 2 on host");
  EXPECT_EQ(how("30 heartbeat"), "closed by peer (rank 0); rank 0 on host");
  EXPECT_EQ(how("25 notice a"), "; ") << "it was told to go, so that the end was announced";
  EXPECT_EQ(how("25 process_end exit"), "closed by peer (rank 0); rank 0 on host");
}

// An exception before a notice is why a job is stopped; from the same moment on the notice is.
TEST(LineupJoins, ANoticeCountsIfNothingFailedBeforeIt) {
  const auto announced = [](double failed) {
    return AccountingOf(
               fmt::format(
                   "[0] 0 start; 0..30 steps 0..2; 40 notice a; [1] 0 start; 0..30 steps 0..2;"
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

TEST(LineupJoins, RanksAreNumbersFromZero) {
  EXPECT_EQ(WriterName::Of("host/0/boot/1/x").rank, 0);
  EXPECT_EQ(WriterName::Of("host/-5/boot/1/x").rank, kNoRank);
  EXPECT_EQ(WriterName::Of("host/five/boot/1/x").rank, kNoRank);
  EXPECT_EQ(WriterName::Of("worker_rank_12.log").rank, 12);
}

// The steps of a process that leads two attempts count once: nine and four of them are followed by
// another.
TEST(LineupJoins, AStepCountsOnce) {
  EXPECT_EQ(
      AccountingOf("[0] 0 start; 0..100 steps 0..9; 100..150 steps 5..9").step_clock().steps(), 11)
      << "the first step of each is no reference";
}

}  // namespace
}  // namespace stepscope::goodput::lineup_joins_test
