// Checks from both sides where events begin to count: ranges, equal times, tolerances.
#include <gtest/gtest.h>

#include "tests/support/scenario.h"

namespace stepscope::goodput::accounting_limits_test {
namespace {

// Whether an event is taken, and not only counted as out of range.
bool IsTaken(const Event& event) {
  Accounting accounting;
  accounting.Add(event);
  Accounting late;
  late.AddLate(event);
  const bool taken = accounting.note_counts().Count(NoteKind::kOutOfRange) == 0;
  EXPECT_EQ(late.note_counts().Count(NoteKind::kOutOfRange) == 0, taken);
  return taken;
}

constexpr int64_t kLatest = int64_t{1} << 62, kMost = int64_t{1} << 61;

TEST(AccountingLimits, TimesAreFrom1970ToBeyond2100) {
  const auto at = [](int64_t time) { return Event{.kind = EventKind::kHeartbeat, .time = time}; };
  EXPECT_TRUE(IsTaken(at(0)));
  EXPECT_FALSE(IsTaken(at(-1)));
  EXPECT_TRUE(IsTaken(at(kLatest - 1)));
  EXPECT_FALSE(IsTaken(at(kLatest)));
  EXPECT_FALSE(IsTaken(at(kUnknown)));
  const auto boot = [](int64_t time) {
    return Event{.kind = EventKind::kHeartbeat, .time = ScenarioTime(0), .monotonic = time};
  };
  EXPECT_TRUE(IsTaken(boot(0)));
  EXPECT_FALSE(IsTaken(boot(-1)));
  EXPECT_FALSE(IsTaken(boot(kLatest)));
  const auto step = [](int64_t number) {
    return Event{.kind = EventKind::kStepStart, .time = ScenarioTime(0), .step = number};
  };
  EXPECT_TRUE(IsTaken(step(kMost - 1)));
  EXPECT_FALSE(IsTaken(step(kMost)));
  EXPECT_TRUE(IsTaken(step(1 - kMost)));
  EXPECT_FALSE(IsTaken(step(-kMost)));
}

// A checkpoint may have the times of its parts alone; others have one of their own.
TEST(AccountingLimits, ACheckpointHasTheTimesOfItsParts) {
  Event save{.kind = EventKind::kCheckpointSave};
  EXPECT_FALSE(IsTaken(save)) << "none";
  save.checkpoint.broadcast = {ScenarioTime(0), kSecond};
  EXPECT_FALSE(IsTaken(save)) << "of emergency restores";
  using Times = CheckpointTimes;
  for (const auto part :
       {&Times::manager, &Times::checkpointer, &Times::wait_for_prev, &Times::get_old_steps}) {
    Event event{.kind = EventKind::kCheckpointSave};
    (event.checkpoint.*part).start = ScenarioTime(0);
    EXPECT_TRUE(IsTaken(event));
    (event.checkpoint.*part).start = kLatest;
    EXPECT_FALSE(IsTaken(event));
    event.kind = EventKind::kHeartbeat;
    (event.checkpoint.*part).start = ScenarioTime(0);
    EXPECT_FALSE(IsTaken(event));
  }
  const auto lasting = [](int64_t duration) {
    Event event{.kind = EventKind::kCheckpointSave};
    event.checkpoint.manager = {ScenarioTime(0), duration};
    return event;
  };
  EXPECT_TRUE(IsTaken(lasting(kMost - 1)));
  EXPECT_FALSE(IsTaken(lasting(kMost)));
  Event event = lasting(kSecond);
  event.time = ScenarioTime(0);
  event.checkpoint.manager.start = -1;
  EXPECT_FALSE(IsTaken(event));
}

// The state of a job that gave its last sign of life at 100 s, so long after that.
std::string StateAfter(double seconds, const std::vector<Event>& more,
                       const std::string& last = "100 heartbeat") {
  Accounting accounting = AccountingOf("[0] 0 start; 0..100 steps 0..9; " + last);
  for (const Event& event : more) accounting.Add(event);
  return accounting.Query({.at = ScenarioTime(100 + seconds), .silence = kHour}).state;
}

TEST(AccountingLimits, SilenceIsLongerThanItsLimit) {
  const auto limit = [](const std::string& text) {
    return std::vector<Event>{{.kind = EventKind::kLabel, .time = ScenarioTime(0), .text = text}};
  };
  EXPECT_EQ(StateAfter(3600, {}), "running");
  EXPECT_EQ(StateAfter(3601, {}), "silent");
  EXPECT_EQ(StateAfter(60, limit("silence=1m")), "running");
  EXPECT_EQ(StateAfter(61, limit("silence=1m")), "silent");
  // Those that are none: of no time, of more than three years, of another name.
  for (const char* text : {"silence=0s", "silence=-5s", "silence=100000001s", "calm=2h"}) {
    EXPECT_EQ(StateAfter(3600, limit(text)), "running") << text;
    EXPECT_EQ(StateAfter(3601, limit(text)), "silent") << text;
  }
  EXPECT_EQ(StateAfter(1e8, limit("silence=100000000s")), "running");
}

// A scheduler tells whole seconds, and may tell its state up to a minute before the last event.
TEST(AccountingLimits, ASchedulersState) {
  const auto told = [](double time, const std::string& text) {
    return std::vector<Event>{
        {.kind = EventKind::kJobState, .time = ScenarioTime(time), .text = text}};
  };
  EXPECT_EQ(StateAfter(5, told(40, "failed")), "failed");
  EXPECT_EQ(StateAfter(5, told(39, "failed")), "running");
  EXPECT_EQ(StateAfter(5, told(40, "completed")), "running") << "it went on";
  EXPECT_EQ(StateAfter(5, told(99, "completed")), "running");
  EXPECT_EQ(StateAfter(5, told(100, "completed")), "ended");
  const auto restarted = [&](double time) {
    return StateAfter(5, told(time, "failed"), "100 start");
  };
  EXPECT_EQ(restarted(100), "failed");
  EXPECT_EQ(restarted(99), "running") << "of the attempt before";
  // Of two at one time, the later told one; an earlier one changes nothing.
  auto two = told(100, "failed");
  two.push_back(told(100, "cancelled").front());
  EXPECT_EQ(StateAfter(5, two), "cancelled");
  two.push_back(told(99, "timed out").front());
  EXPECT_EQ(StateAfter(5, two), "cancelled");
}

// Rank 1 told why it went; rank 0 may live on for two minutes.
TEST(AccountingLimits, AJobFailedIfNobodyLivesOn) {
  const auto state = [](double at) {
    return AccountingOf(
               "[0] 0 start; 0..100 steps 0..9; [1] 0 start; 0..100 steps 0..9;"
               "100 process_end ValueError: x")
        .Query({.at = ScenarioTime(at)})
        .state;
  };
  EXPECT_EQ(state(220), "running");
  EXPECT_EQ(state(221), "failed");
}

TEST(AccountingLimits, CountsBelowZeroAreNone) {
  Accounting accounting;
  const auto add = [&](EventKind kind, double time, int64_t one, int64_t two) {
    accounting.Add({.kind = kind, .time = ScenarioTime(time), .counts = {one, two, 1}});
  };
  add(EventKind::kActivity, 0, 10, 5);
  add(EventKind::kActivity, 0, -3, -2);
  EXPECT_EQ(accounting.tokens(), 10);
  EXPECT_EQ(accounting.billion_flops(), 5);
  add(EventKind::kDropped, 0, 4, 0);
  add(EventKind::kDropped, 0, -4, 0);
  EXPECT_EQ(accounting.note_counts().Count(NoteKind::kDropped), 5) << "one at least";
}

// What is of no process tells how long the job runs, too.
TEST(AccountingLimits, AllEventsAreSignsThatTimeWentOn) {
  const auto end = [](EventKind kind, bool late) {
    Accounting accounting = AccountingOf("[0] 0 start; 0..20 steps 0..1");
    const Event event{.kind = kind, .time = ScenarioTime(50)};
    late ? accounting.AddLate(event) : accounting.Add(event);
    return (accounting.Query().end - kScenarioStart) / kSecond;
  };
  for (const EventKind kind : {EventKind::kActivity, EventKind::kDropped, EventKind::kResources,
                               EventKind::kJobSubmitted}) {
    EXPECT_EQ(end(kind, false), 50);
    EXPECT_EQ(end(kind, true), 50);
  }
  EXPECT_EQ(end(EventKind::kWatched, false), 10) << "a watch is no part of it";
}

// A request of so many chips, of which so many are there, at 60 s; the attempt begins at 90 s.
std::string Moments(int64_t requested, int64_t allocated) {
  Accounting accounting =
      AccountingOf("0 start; 0..30 steps 0..2; 90 start; 90..110 steps 2..3; 110 end");
  accounting.AddLate(
      {.kind = EventKind::kResources, .time = ScenarioTime(60), .counts = {requested, allocated}});
  const Disruption d = accounting.Query().disruption_list.at(0);
  const auto seconds = [](std::optional<int64_t> time) {
    return time ? fmt::format("{}", *time / kSecond) : "-";
  };
  return fmt::format("{} {} {}", seconds(d.detect), seconds(d.queue), seconds(d.launch));
}

// Chips that are all there are allocated, of none nothing is said. Nobody knows since when they
// were asked for: that time is in no queue.
TEST(AccountingLimits, ChipsAreAskedForOrGiven) {
  EXPECT_EQ(Moments(8, 0), "40 - -");
  EXPECT_EQ(Moments(8, 7), "40 - -");
  EXPECT_EQ(Moments(8, 8), "- - 30");
  EXPECT_EQ(Moments(8, 9), "- - 30");
  EXPECT_EQ(Moments(1, 1), "- - 30");
  EXPECT_EQ(Moments(1, 0), "40 - -");
  EXPECT_EQ(Moments(1, kUnknown), "40 - -");
  EXPECT_EQ(Moments(kUnknown, 1), "- - 30");
  EXPECT_EQ(Moments(0, 0), "- - -");
}

// A job that has not begun.
TEST(AccountingLimits, ChipsOfAJobThatHasNotBegun) {
  EXPECT_EQ(Summary("0 submitted; 10 given 8; 30 asked 8", {.at = ScenarioTime(30)}),
            "total 30: ALLOCATED 20, QUEUED 10; 0 disruptions");
  EXPECT_TRUE(AccountingOf("10 given 8").empty());
  EXPECT_FALSE(AccountingOf("10 submitted").empty());
  EXPECT_FALSE(AccountingOf("10 heartbeat").empty());
}

// The earliest submission, and none within the job.
TEST(AccountingLimits, AJobIsSubmittedBeforeItBegins) {
  EXPECT_EQ(Summary("10 submitted; 5 submitted; 30 start; 30..50 steps 0..1; 50 end"),
            "total 45: QUEUED 25, PRODUCTIVE 20; 0 disruptions; last step 1");
  EXPECT_EQ(Summary("30 start; 30 submitted; 31 submitted; 30..50 steps 0..1; 50 end"),
            "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
}

// A notice is of the attempt that had begun by then; it shows that it lived on.
TEST(AccountingLimits, ANoticeIsOfTheAttemptThatHadBegun) {
  const auto told = [](double time) {
    Accounting accounting = AccountingOf("[0] 0 start; 0..20 steps 0..1; [0b] 50 start; 60 end");
    accounting.AddLate(
        {.kind = EventKind::kPreemptionNotice, .time = ScenarioTime(time), .text = "x"});
    std::string text;
    for (const AttemptAccount& a : accounting.Query().attempts) {
      text += fmt::format("{}{} ", (a.end - kScenarioStart) / kSecond, a.preempted ? "!" : "");
    }
    return text + std::to_string(accounting.note_counts().Count(NoteKind::kNoJobStart));
  };
  EXPECT_EQ(told(-1), "10 60 1");
  EXPECT_EQ(told(0), "10! 60 0");
  EXPECT_EQ(told(30), "30! 60 0");
  EXPECT_EQ(told(49), "49! 60 0");
  EXPECT_EQ(told(50), "10 60! 0");
}

// Slices are shares of a number above zero.
TEST(AccountingLimits, SlicesAreShares) {
  const auto active = [](const std::string& counts) {
    return AccountingOf("0 start; 0 slices " + counts + "; 100 end").Query().active_slices;
  };
  EXPECT_EQ(active("0/4/0"), 0.0);
  EXPECT_EQ(active("1/1/1"), 1.0);
  for (const char* counts : {"2/0/4", "-1/4/4", "2/4/-1"}) {
    EXPECT_EQ(active(counts), std::nullopt) << counts;
  }
}

// Of two processes of one rank that were last heard at one time, the later one tells the step.
TEST(AccountingLimits, SignsOfLifeAtOneTime) {
  const auto step = [](const std::string& second) {
    return AccountingOf("[0] 0 start; 0..20 steps 0..1; 40 heartbeat; [0b] 30 start; " + second)
        .LastSigns()
        .at(0)
        .step;
  };
  EXPECT_EQ(step("30..35 steps 7..7; 39 heartbeat"), 1);
  EXPECT_EQ(step("30..35 steps 7..7; 40 heartbeat"), 7);
}

// By their first events.
TEST(AccountingLimits, WritersAreToldInTheirOrder) {
  EXPECT_EQ(AccountingOf("[1] 0 start; [0] 0 start; [1] 5 heartbeat").Writers(),
            (std::vector<std::string>{ScenarioWriter("1"), ScenarioWriter("0")}));
}

}  // namespace
}  // namespace stepscope::goodput::accounting_limits_test
