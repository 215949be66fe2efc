// Checks what is made of the log of one process: where attempts begin, and which rank's steps are
// kept.
#include "goodput/accounting/recording.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/scenario.h"

namespace stepscope::goodput::recording_test {
namespace {

std::string NotesOf(const Accounting& accounting) {
  std::string text;
  for (size_t k = 0; k < static_cast<size_t>(NoteKind::kCount); ++k) {
    const int64_t count = accounting.note_counts().Count(static_cast<NoteKind>(k));
    if (count > 0) text += fmt::format(" {} {}", NoteTexts({})[k].name, count);
  }
  return text;
}

// "0..20 steps 0..1; 50..70 steps 1..2 | late_step 1": the attempts in seconds, and notes.
std::string Attempts(const std::vector<Event>& events) {
  Accounting accounting;
  for (const Event& event : events) accounting.Add(event);
  const auto seconds = [](int64_t time) {
    return fmt::format("{:.6g}", static_cast<double>(time - kScenarioStart) / 1e9);
  };
  std::string text;
  for (const AttemptAccount& a : accounting.Query().attempts) {
    text += fmt::format("{}{}..{}", text.empty() ? "" : "; ", seconds(a.start), seconds(a.end));
    if (a.first_step) text += fmt::format(" steps {}..{}", *a.first_step, *a.last_step);
  }
  const std::string notes = NotesOf(accounting);
  return notes.empty() ? text : text + " |" + notes;
}
std::string Attempts(const std::string& scenario) { return Attempts(EventsOf(scenario)); }

// All events have this name of their attempt.
std::vector<Event> Named(const std::string& attempt, const std::string& scenario) {
  std::vector<Event> events = EventsOf(scenario);
  for (Event& event : events) event.attempt = attempt;
  return events;
}

std::string AttemptsOfRun(const std::string& scenario) { return Attempts(Named("run", scenario)); }

TEST(Recording, AStartMayComeAfterOtherEventsOfItsAttempt) {
  EXPECT_EQ(AttemptsOfRun("[0] 0 heartbeat; 5 start run; 10..30 steps 0..1; 30 end"),
            "0..30 steps 0..1");
  EXPECT_EQ(AttemptsOfRun("[0] 0 heartbeat; 5 start run; 50 heartbeat"), "0..50");
  // Not after its steps: that is another attempt, as is a second start.
  EXPECT_EQ(Attempts("[0] 0..20 steps 0..1; 25 start; 25..45 steps 2..3; 45 end"),
            "0..10 steps 0..1; 25..45 steps 2..3");
  EXPECT_EQ(Attempts("[0] 0 start; 50 start; 50..70 steps 0..1; 70 end"),
            "0..0; 50..70 steps 0..1");
  // Nor is it the start of an attempt with another name.
  std::vector<Event> events = EventsOf("[0] 0 heartbeat; 50 start b; 60..80 steps 0..1; 80 end");
  for (Event& event : events) event.attempt = event.kind == EventKind::kHeartbeat ? "a" : "b";
  EXPECT_EQ(Attempts(events), "0..0; 50..80 steps 0..1");
}

TEST(Recording, AStartThatIsToldAgainIsADuplicate) {
  // By a process, up to the last sign of life.
  EXPECT_EQ(AttemptsOfRun("[0] 0 start run; 0..30 steps 0..2; 20 start run; 40 end"),
            "0..40 steps 0..2 | duplicate 1");
  EXPECT_EQ(
      AttemptsOfRun("[0] 0 start run; 0..30 steps 0..2; 21 start run; 21..41 steps 3..4; 41 end"),
      "0..20 steps 0..2; 21..41 steps 3..4 | repeated_attempt 1");
  EXPECT_EQ(Attempts("[0] 0 start; 20 heartbeat; 20 start; 30 end"), "0..30 | duplicate 1");
  EXPECT_EQ(Attempts("[0] 0 start; 20 heartbeat; 21 start; 30 end"), "0..20; 21..30");
  // In a log without writers, up to the last step, and before the last sign of life.
  const std::string log = "0 start run; 0..20 steps 0..1; 30 heartbeat; ";
  EXPECT_EQ(AttemptsOfRun("0 start run; 0..20 steps 0..1; 10 start run; 40 end"),
            "0..40 steps 0..1 | duplicate 1");
  EXPECT_EQ(AttemptsOfRun(log + "29 start run; 40 end"), "0..40 steps 0..1 | duplicate 1");
  EXPECT_EQ(AttemptsOfRun(log + "30 start run; 40 end"),
            "0..30 steps 0..1; 30..40 | repeated_attempt 1");
  // One that made no step, and one before the current one.
  EXPECT_EQ(AttemptsOfRun("0 start run; 50 start run; 60 end"), "0..60 | duplicate 1");
  std::vector<Event> events = EventsOf("0 start; 0..20 steps 0..1; 50 start; 60 start; 70 end");
  for (Event& event : events) event.attempt = event.time == ScenarioTime(50) ? "b" : "a";
  events.back().attempt = "b";
  EXPECT_EQ(Attempts(events), "0..10 steps 0..1; 50..70 | duplicate 1");
}

TEST(Recording, AStartBeforeTheAttemptBeforeIsMoved) {
  EXPECT_EQ(Attempts("50 start; 50 start; 60 end"), "50..50; 50..60");
  EXPECT_EQ(Attempts("50 start; 49 start; 60 end"), "50..50; 50..60 | clock_back 1");
}

TEST(Recording, AnEndMayBeOfTheAttemptBefore) {
  const std::string both = "0 start; 0..20 steps 0..1; 50 start; ";
  EXPECT_EQ(Attempts(both + "50 end"), "0..10 steps 0..1; 50..50");
  EXPECT_EQ(Attempts(both + "20 end"), "0..20 steps 0..1; 50..50 | end_before_start 1");
  // It ended at its last sign of life: as planned. Before that it did not.
  const auto disruptions = [&](const std::string& end) {
    return AccountingOf(both + end).Query().disruptions;
  };
  EXPECT_EQ(disruptions("10 end"), 0);
  EXPECT_EQ(disruptions("9 end"), 1);
  EXPECT_EQ(Attempts("5 start; 4 end; 8 heartbeat"), "5..8 | end_before_start 1");
}

// Just after the first step, it is about that one. Else the process went back there by itself.
TEST(Recording, AMarkerTellsWhereTheProcessResumed) {
  EXPECT_EQ(Attempts("[0] 0 step 5; 59.9 resume 5; 90 end"), "0..90 steps 5..5");
  EXPECT_EQ(Attempts("[0] 0 step 5; 60 resume 5; 90 end"), "0..0 steps 5..5; 0..90");
  EXPECT_EQ(Attempts("[0] 0 step 5; 1 resume 5; 2 resume 5; 9 end"), "0..0 steps 5..5; 0..9");
  EXPECT_EQ(Attempts("[0] 0 step 5; 1 resume 3; 9 end"), "0..0 steps 5..5; 0..9");
  EXPECT_EQ(Attempts("[0] 0 step 5; 10 step 6; 11 resume 6; 19 end"), "0..10 steps 5..6; 10..19");
  // It may be the first that is told of a job.
  EXPECT_EQ(Attempts("0 resume 5; 1 step 5; 9 end"), "0..9 steps 5..5");
}

TEST(Recording, AStepAgainIsItsPartOrARestart) {
  const std::string log = "0 start; 0..20 steps 0..1; ";
  EXPECT_EQ(Attempts(log + "10.999 step 1; 20 end"), "0..20 steps 0..1 | second_writer 1");
  EXPECT_EQ(Attempts(log + "11 step 1; 20 end"), "0..10 steps 0..1; 10..20 steps 1..1");
  EXPECT_EQ(Attempts("[0] " + log + "11 step 1; 20 end"), "0..20 steps 0..1 | part_of_step 1");
}

TEST(Recording, AStepAfterTheEndShowsThatItWasNone) {
  EXPECT_EQ(Attempts("0 start; 0..20 steps 0..1; 20 end; 20 step 2"), "0..20 steps 0..2");
  EXPECT_EQ(Attempts("0 start; 0..20 steps 0..1; 20 end; 20.1 step 2; 30 heartbeat"),
            "0..30 steps 0..2 | after_end 1");
}

// By its number it is between steps 0 and 10, by its time too.
TEST(Recording, AStepOutOfOrderIsLate) {
  const std::string log = "[0] 0 start; 0 step 0; 100 step 10; 200 step 20; ";
  for (const int time : {0, 100}) {
    EXPECT_EQ(Attempts(log + std::to_string(time) + " step 5; 300 end"),
              "0..300 steps 0..20 | late_step 1");
  }
  EXPECT_EQ(Attempts("[0] 0 start; 0 step 0; 100 step 10; 100 step 5; 200 step 20; 300 end"),
            "0..300 steps 0..20 | late_step 1");
  // Step 10 is told a second later, so that it is made again.
  EXPECT_EQ(Attempts(log + "100.9 step 10; 300 end"), "0..300 steps 0..20 | late_step 1");
  EXPECT_EQ(Attempts(log + "101 step 10; 300 end"),
            "0..200 steps 0..20; 200..300 steps 10..10 | clock_back 1");
}

// As in each epoch; later than the steps before, and at the first step or at step 1.
TEST(Recording, ProgramsCountTheirStepsAnew) {
  EXPECT_EQ(Attempts("[0] 0 start; 0..50 steps 5..9; 50..70 steps 5..6; 70 end"),
            "0..70 steps 5..11 | steps_counted_anew 1");
  EXPECT_EQ(Attempts("[0] 0 start; 0..50 steps 0..4; 50..70 steps 1..2; 70 end"),
            "0..70 steps 0..6 | steps_counted_anew 1");
  EXPECT_EQ(Attempts("[0] 0 start; 0..50 steps 0..4; 50..70 steps 2..3; 70 end"),
            "0..40 steps 0..4; 40..70 steps 2..3");
  EXPECT_EQ(Attempts("[0] 0 start; 0..50 steps 0..4; 40 step 0; 70 end"),
            "0..40 steps 0..4; 40..70 steps 0..0");
}

// Other programs tell of checkpoints, notices and nodes: their logs are no attempts.
TEST(Recording, AProcessLivesByWhatItAloneTells) {
  const std::string job = "[0] 0 start; 0..100 steps 0..9; 100 end; [1] ";
  for (const std::string told : {"200 notice a", "200 swap a for b", "200 slices 3/4/4",
                                 "200..201 save 9", "200..201 restore 9"}) {
    EXPECT_EQ(AccountingOf(job + told).Query().attempts.size(), 1u) << told;
  }
  for (const std::string told : {"200 start", "200 heartbeat", "200 commit 9", "200 eval"}) {
    EXPECT_EQ(AccountingOf(job + told).Query().attempts.size(), 2u) << told;
  }
  EXPECT_EQ(Attempts("[0] 0..2 save 0; 5 start; 50..53 save 10"), "0..53");
}

// The job goes on until then, though a lost slice is no sign of life of the process.
TEST(Recording, TheNewestEventTellsHowLongAJobRuns) {
  EXPECT_EQ(Summary("[0] 0 start; 0..30 steps 0..2; 50 wait slice_down"),
            "total 50: IN_PROGRESS 30, PRODUCTIVE 20; 0 disruptions; last step 1");
}

// A process of rank 1 that tells `before` steps when rank 0 begins, and then `after` more.
bool IsThin(int64_t before, int64_t after) {
  JobTotals job;
  Recording lower(ScenarioWriter("0")), own(ScenarioWriter("1"));
  const auto step = [&](Recording& of, int64_t number) {
    const int64_t time = kScenarioStart + number * kSecond;
    of.Add({.kind = EventKind::kStepStart, .time = time, .step = number}, job);
  };
  for (int64_t s = 0; s < before; ++s) step(own, s);
  step(lower, before);
  for (int64_t s = 0; s < after; ++s) step(own, before + s);
  return own.thin();
}

// Whether a lower rank tells the same is looked at up to the ninth step, and at each 64th after it.
TEST(Recording, StepsThatALowerRankTellsAreNotKept) {
  EXPECT_TRUE(IsThin(8, 1));
  EXPECT_FALSE(IsThin(9, 1));
  EXPECT_FALSE(IsThin(9, 55));
  EXPECT_TRUE(IsThin(9, 56));
  EXPECT_FALSE(IsThin(65, 63));
  EXPECT_TRUE(IsThin(65, 64));
}

// Steps of a lower rank tell what a rank does in the ten minutes around them.
TEST(Recording, ALowerRankTellsForTenMinutes) {
  const auto is_thin = [](double time) {
    JobTotals job;
    Recording lower(ScenarioWriter("0")), own(ScenarioWriter("1"));
    for (const Event& event : EventsOf("1000..1030 steps 0..2")) lower.Add(event, job);
    own.Add({.kind = EventKind::kStepStart, .time = ScenarioTime(time), .step = 0}, job);
    return own.thin();
  };
  EXPECT_FALSE(is_thin(399.9));
  EXPECT_TRUE(is_thin(400));
  EXPECT_TRUE(is_thin(1620));
  EXPECT_FALSE(is_thin(1620.1));
}

// A step that ended when it began took no time, and is no step to compare others with.
TEST(Recording, StepsOfNoTimeAreNotMeasured) {
  JobTotals job;
  Recording recording(ScenarioWriter("0"));
  for (const Event& event : EventsOf(
           "0 start; 10 step 0; 20 step 1; 20 step_end 1; 30 step 2; 40 step 3; 40 step_end 3; "
           "50 step 4"))
    recording.Add(event, job);
  EXPECT_EQ(recording.step_clock().steps(), 1);
  EXPECT_EQ(recording.step_clock().sum(), 10 * kSecond);
  EXPECT_EQ(recording.attempts().front().lasting_steps, 2);
}

// Of types beyond the 30th one begins without a place of its own.
TEST(Recording, The30thTypeHasAPlaceFromItsBeginOn) {
  JobTotals job;
  for (int k = 0; k < 29; ++k) job.LabelOf(fmt::format("TYPE{}", k));
  EXPECT_TRUE(job.HasRoom());
  job.LabelOf("THE 30TH");
  EXPECT_FALSE(job.HasRoom());
  EXPECT_EQ(job.LabelOf("ANOTHER"), 30);
  EXPECT_EQ(job.labels.back(), "(more types)");
}

}  // namespace
}  // namespace stepscope::goodput::recording_test
