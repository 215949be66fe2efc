// Checks that an accounting that was saved and loaded goes on like the one that was not.
#include <gtest/gtest.h>

#include "base/crc32.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::accounting_state_test {
namespace {

std::string Seconds(std::optional<int64_t> time) {
  if (!time) return "-";
  return fmt::format("{:.9g}", static_cast<double>(*time - kScenarioStart) / 1e9);
}

std::string Number(std::optional<int64_t> number) { return number ? std::to_string(*number) : "-"; }

// All that a state must tell. Silences, and lengths of steps by their ends, are forgotten.
std::string Told(Accounting& accounting, const PartitionQuery& query) {
  const Partition p = accounting.Query(query);
  std::string text = Summary(p) + "\nstate " + p.state;
  for (const AttemptAccount& a : p.attempts) {
    text += fmt::format(
        "\nattempt {} {}..{} steps {}..{} ({}) of {}, by {}: {} {} {} {} '{}' '{}' '{}'", a.id,
        Seconds(a.start), Seconds(a.end), Number(a.first_step), Number(a.last_step), a.steps,
        a.processes, a.open_type, a.ended, a.preempted, a.in_process, a.new_job,
        fmt::to_string(a.cause), fmt::to_string(a.first_gone), fmt::to_string(a.behind));
    text += fmt::format(" open {} after {}", a.open_time, a.after_steps);
    if (a.slowest) text += fmt::format(" slowest {} by {}", a.slowest->step, a.slowest->beyond);
  }
  for (const Disruption& d : p.disruption_list) {
    text += fmt::format("\ndisruption {} at {} '{}' {} {} {} {} costs {}", d.attempt,
                        Seconds(d.time), d.text, d.announced, Number(d.detect), Number(d.queue),
                        Number(d.launch), d.cost());
  }
  for (const auto& [type, time] : p.custom) text += fmt::format("\ncustom {} {}", type, time);
  text += fmt::format("\nslices {} of {}, loading {}, suspended {}", p.active_slices.value_or(-1),
                      p.available_slices.value_or(-1), p.async_loading, p.suspended);
  text += fmt::format("\nopen {} since {}, at risk {}", Number(p.open_step), Seconds(p.open_since),
                      Number(p.steps_at_risk));
  text += fmt::format("\ncounts {} {} {}, chips {}, steps of {}", accounting.tokens(),
                      accounting.billion_flops(), accounting.saves(),
                      accounting.scheduling().most_requested(),
                      accounting.step_clock().median().value_or(0));
  for (const SignOfLife& sign : accounting.LastSigns()) {
    text += fmt::format("\nrank {} at {} in {}", sign.rank, Seconds(sign.last), sign.step);
  }
  for (size_t k = 0; k < static_cast<size_t>(NoteKind::kCount); ++k) {
    const auto kind = static_cast<NoteKind>(k);
    const int64_t count = accounting.note_counts().Count(kind);
    if (count > 0) text += fmt::format("\n{} {}", NoteTexts({})[k].name, count);
  }
  return text;
}

// Saves after each event of the log, loads, and adds the rest.
void GoesOn(const std::vector<Event>& events) {
  Accounting whole;
  for (const Event& event : events) whole.Add(event);
  for (const double at : {0.0, 20'000.0}) {
    const PartitionQuery query{.at = ScenarioTime(at), .silence = kHour};
    const std::string expected = Told(whole, query);
    Accounting until;
    for (size_t e = 0; e < events.size(); ++e) {
      until.Add(events[e]);
      Accounting loaded;
      ASSERT_TRUE(loaded.Load(until.SaveThinned(whole))) << e;
      for (size_t rest = e + 1; rest < events.size(); ++rest) loaded.Add(events[rest]);
      ASSERT_EQ(Told(loaded, query), expected) << "after event " << e;
    }
  }
}

// What is added to the scenario: `counts` of an event of this kind.
Event Counted(EventKind kind, double time, int64_t first, int64_t second = kUnknown,
              int64_t third = kUnknown) {
  return {.kind = kind, .time = ScenarioTime(time), .counts = {first, second, third}};
}

// Two ranks that restart in the process, by a new process, and go on: with everything that an
// attempt may hold.
std::vector<Event> EventsOfAJob() {
  std::vector<Event> events = EventsOf(R"([0] monotonic
      0 submitted; 1 asked 8; 5 given 8
      [0] 10 start run; 10..20 init; 20..25 prep; 25..30 load; 30..90 steps 0..5; 50..52 saving 3
      [1] 10 start run; 30..90 steps 0..5
      [0] 55 slices 3/4/4; 60..70 eval; 71..75 wait slice_down; 75..77 reinit; 90 resume 4
      [0] 95..135 steps 4..7; 100 commit 5; 135 notice maintenance; 140 process_end ValueError: nan
      [1] 90..130 steps 6..9; 131 process_end exit
      150 asked 8; 155 given 8
      [0b] 200 start next; 210..220 restore 5; 220..260 steps 6..9; 261 step_end 9; 262..264 Test
      [1b] 201 start next; 220..260 steps 6..9
      [0b] 265 eval; 280..400 steps 10..14; 440..500 steps 15..20; 500..520 steps 0..1; 530 saving 21
      [1b] 280..400 steps 10..14; 440..500 steps 15..20; 535 heartbeat
      540 dropped 3)");
  for (Event& event : events) {
    if (!event.writer.empty()) event.attempt = event.time < ScenarioTime(200) ? "run" : "next";
  }
  events.push_back(Counted(EventKind::kActivity, 541, 1000, 7));
  events.push_back({.kind = EventKind::kLabel, .time = ScenarioTime(541), .text = "silence=2h"});
  return events;
}

TEST(AccountingState, AJobGoesOn) {
  std::vector<Event> events = EventsOfAJob();
  GoesOn(events);
  events.push_back({.kind = EventKind::kJobState, .time = ScenarioTime(560), .text = "cancelled"});
  GoesOn(events);
}

// What was in the accounting before is gone, and the two go on apart.
TEST(AccountingState, ACopyIsWholeAndApart) {
  const PartitionQuery query{.at = ScenarioTime(20'000), .silence = kHour};
  const std::vector<Event> events = EventsOfAJob();
  for (size_t part = 0; part <= events.size(); part += 7) {
    Accounting first, whole;
    for (size_t e = 0; e < events.size(); ++e) {
      if (e < part) first.Add(events[e]);
      whole.Add(events[e]);
    }
    first.AddLate({.kind = EventKind::kPreemptionNotice, .time = ScenarioTime(136), .text = "x"});
    first.AddLate({.kind = EventKind::kProcessEnd, .time = ScenarioTime(141), .text = "killed"});
    first.Add({.kind = EventKind::kJobState, .time = ScenarioTime(139), .text = "timed out"});
    const std::string expected = Told(first, query);
    Accounting copy = AccountingOf("0 start; 0..20 steps 0..1; 30..40 eval; 50 start; 60 step 2");
    Told(copy, query);
    copy = first;
    ASSERT_EQ(Told(copy, query), expected) << part;
    for (size_t e = part; e < events.size(); ++e) copy.Add(events[e]);
    Accounting same = first;
    ASSERT_EQ(Told(first, query), expected) << part;
    for (size_t e = part; e < events.size(); ++e) same.Add(events[e]);
    ASSERT_EQ(Told(copy, query), Told(same, query)) << part;
  }
}

// A start that is told again after another event is a duplicate, and one that is told late is of
// the attempt that has begun; a process that only saves is none.
TEST(AccountingState, StartsGoOn) {
  GoesOn(EventsOf("[0] 0 start; 5 heartbeat; 5 start; 10..30 steps 0..1; 31 end"));
  std::vector<Event> again =
      EventsOf("[0] 0 start run; 5 heartbeat; 10 start run; 20..40 steps 0..1; 41 end");
  for (Event& event : again) event.attempt = "run";
  GoesOn(again);
  GoesOn(EventsOf("[0] 0..5 init; 6 start; 10..30 steps 0..1; 31 end"));
  GoesOn(EventsOf("[0] 0 start; 0..30 steps 0..2; [1] 5..6 save 1; [0] 31 end"));
}

// A clock that was set by 60 s, and after that back by 20 s: both are told by how much.
TEST(AccountingState, AClockThatIsSetAgain) {
  const std::vector<Event> events = EventsOf(
      "[0] monotonic; 0 start; 0..50 steps 0..4; clock 60; 50..70 steps 5..6; clock 40; 70 step 7");
  Accounting until, loaded;
  for (const Event& event : events) {
    if (event.step != 7) until.Add(event);
  }
  ASSERT_TRUE(loaded.Load(until.SaveThinned(until)));
  loaded.Add(events.back());
  const auto told = [](const Accounting& accounting) {
    return fmt::to_string(accounting.note_counts().List("").at(0).message);
  };
  EXPECT_TRUE(told(until).contains("+60.0 s on host")) << told(until);
  EXPECT_TRUE(told(loaded).contains("-20.0 s on host")) << told(loaded);
}

// The library's log of one process without a name, which overlaps loading and steps.
TEST(AccountingState, ALogWithoutWritersGoesOn) {
  GoesOn(EventsOf(R"(0 start; 0..10 init; 10..12 load; 12..52 steps 0..3; 20..25 load; 30..33 save 2
      45..48 eval; 80 start; 80..90 restore 2; 90..130 steps 3..6; 125 eval; 126 wait slice_down
      140..142 prep; 150 end)"));
  // Each process of a host has its clock; the second one began when it had been set.
  GoesOn(EventsOf(R"([0] monotonic; 0 start; 0..50 steps 0..4; clock 60; 50..60 steps 5..5; 60 end
      [1] monotonic; clock 60; 1 start; 1..60 steps 0..5; 60 end)"));
  // The log of rank 0 breaks off, and rank 1, whose steps were not kept, goes on.
  GoesOn(EventsOf(R"([0] 0 start; 0..40 steps 0..3; [1] 0 start; 0..400 steps 0..39; 405 end)"));
}

// A step that takes far longer than others, beside a save and an evaluation that goes on.
TEST(AccountingState, LongStepsGoOn) {
  GoesOn(EventsOf(R"([0] 0 start; 0..100 steps 0..9; 100..110 saving 9; 700..760 steps 10..15
      765 step_end 15; 770 eval; 790 step 16; 1000 heartbeat)"));
}

// Of the steps of 10 s, those around step 33 are kept, to which the next attempt goes back, of each
// minute the first one, and the first two and the last two.
TEST(AccountingState, StepsAreThinned) {
  const std::string first = "0 start; 0..600 steps 0..59; 700 start;";
  const Accounting until = AccountingOf(first);
  const Accounting whole = AccountingOf(first + "710..810 steps 33..42");
  Accounting loaded;
  ASSERT_TRUE(loaded.Load(until.SaveThinned(whole)));
  std::vector<int64_t> kept;
  for (int s = 0; s < 60; ++s) {
    const auto place = loaded.StepAt(ScenarioTime(10 * s));
    if (place && (kept.empty() || place->step > kept.back())) kept.push_back(place->step);
  }
  EXPECT_EQ(kept, (std::vector<int64_t>{0, 1, 2, 8, 14, 20, 26, 32, 33, 38, 44, 50, 56, 58, 59}));
}

// Of a process that goes on the last 256 as well.
TEST(AccountingState, TheLastStepsAreKept) {
  Accounting accounting = AccountingOf("[0] 0 start; 0..400 steps 0..399"), loaded;
  ASSERT_TRUE(loaded.Load(accounting.SaveThinned(accounting)));
  std::vector<int64_t> kept;
  for (int s = 0; s < 150; ++s) {
    const auto place = loaded.StepAt(ScenarioTime(s + 0.5));
    if (kept.empty() || place->step > kept.back()) kept.push_back(place->step);
  }
  EXPECT_EQ(kept, (std::vector<int64_t>{0, 1, 20, 80, 140, 144, 145, 146, 147, 148, 149}));
}

// A state of the first versions, with one recording: 1 had no FLOPs.
std::string OldState(uint64_t version) {
  StateWriter state;
  const auto maybe = [&](std::optional<double> seconds) {
    state.Signed(seconds ? ScenarioTime(*seconds) : kUnknown);
  };
  for (const double time : {0, 1, 5}) maybe(time);  // submitted, requested, allocated
  maybe(52);                                        // newest
  state.Unsigned(1);                                // attempts
  state.Text("run");
  maybe(std::nullopt);                             // requested
  maybe(std::nullopt);                             // allocated
  for (const double time : {10, 50}) maybe(time);  // from its start to its last event
  maybe(std::nullopt);                             // end
  maybe(45);                                       // notice
  state.Text("maintenance");
  state.Unsigned(2);  // its first step lasts
  StepTimes steps;
  for (const int64_t s : {0, 1, 2, 3}) steps.Append(s, kScenarioStart + (10 + 10 * s) * kSecond);
  steps.Save(state);
  state.Signed(3);      // lasting steps
  maybe(std::nullopt);  // end of the last one
  state.Signed(1);      // saved
  Overlays overlays;
  overlays.Add(ScenarioTime(22), ScenarioTime(25), Bucket::kCustom, 0);
  overlays.Save(state);
  state.Signed(0);  // loading
  OpenSpans open;
  open.Open({.kind = EventKind::kCustomBegin, .time = ScenarioTime(48), .text = "eval"});
  open.Save(state);
  state.Unsigned(1);  // types
  state.Text("EVAL");
  state.Unsigned(1);  // slices
  maybe(10);
  state.Real(0.5);
  state.Real(1);
  StepClock clock;
  for (int k = 0; k < 3; ++k) clock.Add(10 * kSecond);
  clock.Save(state);
  Scheduling().Save(state);
  for (const int64_t count : {100, 4}) state.Signed(count);  // tokens, saves
  if (version > 1) state.Signed(7);
  SaveNotes({}, state);
  StateWriter out;
  out.Unsigned(version);
  out.Unsigned(Crc32(state.bytes().data(), state.bytes().size()));
  out.Unsigned(static_cast<uint64_t>(EventKind::kCount));
  return out.bytes() + state.bytes();
}

// The job goes on: the evaluation ends at 50 s, the second attempt makes step 3 again. The first
// step takes 10 s, the three others (10 - 3 + 10 + 8) / 3 without evaluations: 1.67 s of it are
// startup.
TEST(AccountingState, StatesOfTheFirstVersionsAreRead) {
  for (const uint64_t version : {1U, 2U}) {
    Accounting accounting;
    ASSERT_TRUE(accounting.Load(OldState(version)));
    EXPECT_EQ(accounting.tokens(), 100);
    EXPECT_EQ(accounting.saves(), 4);
    EXPECT_EQ(accounting.billion_flops(), version == 1 ? 0 : 7);
    EXPECT_EQ(accounting.step_clock().steps(), 3);
    EXPECT_EQ(accounting.Query().end, ScenarioTime(52));
    for (Event event : EventsOf("50 eval; 80 start; 80..100 steps 3..4; 100 end")) {
      if (event.kind == EventKind::kCustomBegin) event.kind = EventKind::kCustomEnd;
      accounting.Add(event);
    }
    const Partition p = accounting.Query();
    EXPECT_EQ(Summary(p),
              "total 100: PRODUCTIVE 45.3333, INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION 30, "
              "WASTED_PROGRESS_FROM_DISRUPTION 8, ALLOCATED 5, CUSTOM 5, QUEUED 5, "
              "PROGRAM_STARTUP 1.66667; 1 disruption; last step 4");
    EXPECT_EQ(p.attempts.at(0).id, "run");
    EXPECT_EQ(p.disruption_list.at(0).text, "maintenance");
    EXPECT_NEAR(p.active_slices.value(), 0.45, 1e-9);
    EXPECT_NEAR(p.available_slices.value(), 0.9, 1e-9);
  }
}

// The state of such a version and with so many kinds of events: the rest is as it is now.
std::string WithFront(uint64_t version, uint64_t kinds, std::string_view state) {
  StateWriter out;
  out.Unsigned(version);
  out.Unsigned(Crc32(state.data(), state.size()));
  out.Unsigned(kinds);
  return out.bytes() + std::string(state);
}

// What follows the front.
std::string RestOf(const std::string& bytes) {
  StateReader in(bytes);
  for (int k = 0; k < 3; ++k) in.Unsigned();
  return std::string(in.rest());
}

// It ended before the limit of silence, which no job had set.
TEST(AccountingState, TheThirdVersionIsRead) {
  constexpr auto kKinds = static_cast<uint64_t>(EventKind::kCount);
  Accounting accounting = AccountingOf("[0] 0 start; 0..30 steps 0..2; 31 end"), loaded;
  const std::string state = RestOf(accounting.SaveThinned(accounting));
  StateWriter none;
  none.Signed(kUnknown);
  ASSERT_TRUE(state.ends_with(none.bytes()));
  const std::string third = state.substr(0, state.size() - none.bytes().size());
  ASSERT_TRUE(loaded.Load(WithFront(3, kKinds, third)));
  EXPECT_EQ(Told(loaded, {}), Told(accounting, {}));
  EXPECT_FALSE(loaded.Load(WithFront(4, kKinds, third)));
}

// What was there before is gone, whether the state is whole or breaks off.
TEST(AccountingState, NothingOfBeforeIsLeft) {
  constexpr auto kKinds = static_cast<uint64_t>(EventKind::kCount);
  Accounting accounting = AccountingOf("[0] 0 start; 0..30 steps 0..2; 31 end");
  const std::string state = RestOf(accounting.SaveThinned(accounting));
  const auto load = [&](const std::string& bytes, bool is_one) {
    Accounting loaded = AccountingOf("[1] 0 start; 0..90 steps 0..8; 95 eval; 0 submitted");
    EXPECT_EQ(loaded.Load(bytes), is_one);
    return loaded;
  };
  Accounting whole = load(WithFront(4, kKinds, state), true);
  EXPECT_EQ(Told(whole, {}), Told(accounting, {}));
  EXPECT_TRUE(load(WithFront(4, kKinds + 1, state), false).empty());
  for (size_t size = 0; size < state.size(); ++size) {
    EXPECT_TRUE(load(WithFront(4, kKinds, state.substr(0, size)), false).empty()) << size;
  }
}

TEST(AccountingState, OtherBytesAreNoState) {
  const std::string state = OldState(2);
  const auto with_front = [&](char version, char checksum) {
    std::string other = state;
    other[0] = version;
    other[1] = static_cast<char>(other[1] + checksum);
    return other;
  };
  Accounting accounting;
  EXPECT_TRUE(accounting.Load(with_front(2, 0)));
  EXPECT_FALSE(accounting.Load(with_front(0, 0)));
  EXPECT_FALSE(accounting.Load(with_front(5, 0)));
  EXPECT_FALSE(accounting.Load(with_front(2, 1)));
  EXPECT_FALSE(accounting.Load(""));
  EXPECT_TRUE(accounting.empty());
}

}  // namespace
}  // namespace stepscope::goodput::accounting_state_test
