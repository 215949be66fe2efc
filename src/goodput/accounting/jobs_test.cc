// Checks which job an event belongs to, and which events of a job count.
#include "goodput/accounting/jobs.h"

#include <gtest/gtest.h>

#include "goodput/events/event_lines.h"
#include "tests/scratch.h"
#include "tests/support/scenario.h"

namespace stepscope::goodput::jobs_test {
namespace {

using testing::ScratchFolder;

Event Label(const std::string& text) { return {.kind = EventKind::kLabel, .text = text}; }

TEST(Jobs, ALabelIsWhatStandsAroundTheFirstEqualsSign) {
  Labels labels;
  for (const char* text : {"team=nlp", "a=b=c", "queue=", "=x", "none"}) {
    TakeLabel(Label(text), labels);
  }
  EXPECT_EQ(labels, (Labels{{"a", "b=c"}, {"queue", ""}, {"team", "nlp"}}));
  TakeLabel(Label("team=vision"), labels);
  EXPECT_EQ(labels.at("team"), "vision") << "a later one replaces it";
  TakeLabel({.kind = EventKind::kCustomBegin, .text = "user=me"}, labels);
  EXPECT_FALSE(labels.contains("user")) << "no label";
}

// The scenario, of this job, as a file has it.
std::string LinesOf(const std::string& scenario, const std::string& job = "a") {
  std::string lines;
  for (Event& event : EventsOf(scenario)) {
    event.job = job;
    AppendJsonLine(event, lines);
  }
  return lines;
}

// The jobs of one file.
Jobs Read(const std::string& lines, const ReadJobsOptions& options = {}) {
  const ScratchFolder folder;
  auto jobs = ReadJobs({folder.Write("log.jsonl", lines)}, options);
  EXPECT_TRUE(jobs);
  return jobs ? std::move(*jobs) : Jobs();
}

// "a 3, b 2": the jobs and how many events each has.
std::string Told(const Jobs& jobs) {
  std::string text;
  for (const Job& job : jobs.jobs) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", job.name, job.events);
  }
  return text;
}

int64_t NoteOf(const std::vector<Note>& notes, std::string_view name) {
  const auto note = std::ranges::find(notes, name, &Note::name);
  return note == notes.end() ? 0 : note->count;
}

TEST(Jobs, EventsWithoutANameBelongToTheJobBefore) {
  EXPECT_EQ(Told(Read(LinesOf("0 start") + LinesOf("0 start", "b") + LinesOf("5 heartbeat", ""))),
            "a 1, b 2");
  // Those before any name belong to the first one.
  const std::string unnamed = LinesOf("0 start; 5 heartbeat", "");
  EXPECT_EQ(Told(Read(unnamed)), " 2");
  EXPECT_EQ(Told(Read(unnamed + LinesOf("9 heartbeat") + LinesOf("0 start", "b"))), "a 3, b 1");
  EXPECT_EQ(Told(Read(unnamed + LinesOf("9 heartbeat") + LinesOf("0 start", "b") +
                      LinesOf("10 heartbeat"))),
            "a 4, b 1");
}

TEST(Jobs, OnlyTheJobThatIsAskedForIsRead) {
  const std::string lines = LinesOf("0 start") + LinesOf("0 start; 5 heartbeat", "b") +
                            LinesOf("6 heartbeat", "") + LinesOf("7 heartbeat");
  const Jobs jobs = Read(lines, {.job = "b"});
  EXPECT_EQ(Told(jobs), "b 3");
  EXPECT_EQ(NoteOf(jobs.notes, "other_job"), 2);
  EXPECT_FALSE(jobs.more);
}

// A seventh job is left out.
TEST(Jobs, AtMostSixAreKept) {
  std::string lines;
  for (const char* job : {"a", "b", "c", "d", "e", "f"}) lines += LinesOf("0 start", job);
  EXPECT_FALSE(Read(lines).more);
  const Jobs jobs = Read(lines + LinesOf("0 start; 1 heartbeat", "g") + LinesOf("2 heartbeat"));
  EXPECT_TRUE(jobs.more);
  EXPECT_EQ(Told(jobs), "a 2, b 1, c 1, d 1, e 1, f 1");
  EXPECT_EQ(NoteOf(jobs.notes, "other_job"), 2);
}

// What is later than the question, and what was told twice, does not count.
TEST(Jobs, NoteWhatDoesNotCount) {
  const std::string log = LinesOf("0 start; 0..20 steps 0..1; 20 end; 30 heartbeat");
  Jobs jobs = Read(log + log, {.at = ScenarioTime(20)});
  Job& job = jobs.jobs.front();
  EXPECT_EQ(job.events, 10);
  EXPECT_EQ(NoteCountsOf(job).Count(NoteKind::kAfterQuery), 2);
  EXPECT_EQ(NoteCountsOf(job).Count(NoteKind::kDuplicate), 4);
  EXPECT_EQ(Summary(job.accounting.Query()), "total 20: PRODUCTIVE 20; 0 disruptions; last step 1");
  // What the accounting itself notes is told with it.
  EXPECT_EQ(NoteCountsOf(Read(LinesOf("0 step 0")).jobs.front()).Count(NoteKind::kNoJobStart), 1);
}

TEST(Jobs, TheReferenceLibraryTakesAllEvents) {
  const std::string log = LinesOf("0 start; 0..20 steps 0..1; 20 end");
  Jobs jobs = Read(log + log, {.ml_goodput = true, .at = ScenarioTime(5)});
  EXPECT_EQ(jobs.jobs.front().events, 8);
  EXPECT_TRUE(jobs.jobs.front().accounting.empty());
  EXPECT_EQ(NoteCountsOf(jobs.jobs.front()).Count(NoteKind::kDuplicate), 0);
}

// A recorder's events are numbered: those that come out of order are put in order, and those that
// are not there are counted.
TEST(Jobs, ARecordersEventsAreReadInTheirOrder) {
  std::vector<Event> events = EventsOf("[0] 0 start; 0..40 steps 0..3; 41 end");
  const auto lines = [&](const std::vector<size_t>& order) {
    std::string text;
    for (const size_t k : order) {
      events[k].job = "a";
      AppendJsonLine(events[k], text);
    }
    return text;
  };
  Jobs jobs = Read(lines({0, 3, 4, 1, 2, 5}));
  EXPECT_EQ(NoteOf(jobs.notes, "out_of_order"), 4);
  EXPECT_EQ(Summary(jobs.jobs.front().accounting.Query()),
            "total 41: PRODUCTIVE 41; 0 disruptions; last step 3");
  EXPECT_EQ(NoteCountsOf(jobs.jobs.front()).Count(NoteKind::kMissingEvents), 0);
  EXPECT_EQ(NoteCountsOf(Read(lines({0, 1, 2, 5})).jobs.front()).Count(NoteKind::kMissingEvents),
            2);
  EXPECT_EQ(NoteOf(Read(lines({0, 1, 2, 3})).notes, "out_of_order"), 0);
  // Another job's events are left out on the way, too.
  const Jobs asked = Read(lines({0, 2, 1}) + LinesOf("0 start", "b"), {.job = "a"});
  EXPECT_EQ(Told(asked), "a 3");
  EXPECT_EQ(NoteOf(asked.notes, "other_job"), 1);
}

TEST(Jobs, AFileThatIsNotThereIsAnError) {
  EXPECT_FALSE(ReadJobs({"/nowhere/log.jsonl"}, {}));
  const ScratchFolder folder;
  const std::string path = folder.Write("log.jsonl", LinesOf("0 start"));
  EXPECT_FALSE(ReadJobs({path, "/nowhere/log.jsonl"}, {}));
  const auto both = ReadJobs({path, folder.Write("more.jsonl", LinesOf("5 end"))}, {});
  ASSERT_TRUE(both);
  EXPECT_EQ(Told(*both), "a 2");
  ASSERT_EQ(both->files.size(), 2U);
  EXPECT_EQ(both->files[1].events, 1);
}

// Events of a watch are kept beside the course, the latest of them.
TEST(Jobs, WhatAWatchSaysIsNoPartOfTheCourse) {
  Job job;
  Event watched{.kind = EventKind::kWatched, .text = "{}"};
  for (size_t k = 0; k < kMostWatched; ++k) {
    watched.time = ScenarioTime(static_cast<double>(k));
    EXPECT_FALSE(AccountFor(watched, std::nullopt, job));
  }
  EXPECT_EQ(job.watched.size(), kMostWatched);
  EXPECT_EQ(job.watched.front().time, kScenarioStart);
  watched.time = ScenarioTime(30'000);
  watched.text = "{1}";
  EXPECT_FALSE(AccountFor(watched, std::nullopt, job));
  EXPECT_EQ(job.watched.size(), kMostWatched);
  EXPECT_EQ(job.watched.front().time, ScenarioTime(1));
  EXPECT_EQ(job.watched.back().text, "{1}");
  EXPECT_TRUE(job.accounting.empty());
  EXPECT_TRUE(AccountFor(EventsOf("0 start").front(), std::nullopt, job));
}

// A scheduler's events come after the job's own, as if in order.
TEST(Jobs, ASchedulersEventsCountAsWell) {
  Job job;
  for (const Event& event : EventsOf("10 start; 10..30 steps 0..1; 30 end")) {
    AccountFor(event, std::nullopt, job);
  }
  const std::vector<Event> events = EventsOf("0 submitted; 0 submitted; 5 given 8; 31 given 8");
  TakeScheduled(events, ScenarioTime(30), job);
  EXPECT_EQ(job.events, 8);
  EXPECT_EQ(NoteCountsOf(job).Count(NoteKind::kAfterQuery), 1);
  EXPECT_EQ(NoteCountsOf(job).Count(NoteKind::kDuplicate), 1);
  EXPECT_EQ(Summary(job.accounting.Query()),
            "total 30: PRODUCTIVE 20, ALLOCATED 5, QUEUED 5; 0 disruptions; last step 1");
  TakeScheduled(EventsOf("5 given 8"), ScenarioTime(5), job);
  EXPECT_EQ(NoteCountsOf(job).Count(NoteKind::kDuplicate), 2);
}

}  // namespace
}  // namespace stepscope::goodput::jobs_test
