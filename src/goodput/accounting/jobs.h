// Reads files of events and groups them by job.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "goodput/accounting/accounting.h"
#include "goodput/accounting/duplicates.h"
#include "goodput/accounting/ml_goodput.h"
#include "goodput/accounting/servers_clock.h"
#include "goodput/events/notes.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Options of reading. The accounting counts duplicates once and skips events after `at`; the
// reference library takes all events.
struct ReadJobsOptions {
  bool ml_goodput = false;
  std::string job;  // only this job; empty: all
  std::optional<int64_t> at;
  int64_t max_input = 0;  // as in GoodputReportOptions
};

// Properties of a job to group it by: "team", "user", "project", "cluster", "queue".
using Labels = std::map<std::string, std::string>;

// Takes an event "team=nlp"; a later one replaces it.
void TakeLabel(const Event& event, Labels& labels);

// What `stepscope watch` recorded of a job: the text of an event, and its time.
struct WatchedText {
  int64_t time = 0;
  std::string text;
};
inline constexpr size_t kMostWatched = 20'000;  // of a job, the oldest out first

struct Job {
  std::string name;
  Labels labels;
  std::deque<WatchedText> watched;
  int64_t events = 0;
  Accounting accounting;
  Duplicates duplicates;
  ServersClock servers_clock;
  MlGoodput ml_goodput;
  Notes note_counts;
};

// Accounts for the event. False if it is no part of the job's course: a duplicate or later than
// `at`, which is counted, or of a watch.
bool AccountFor(const Event& event, std::optional<int64_t> at, Job& job);

// The same, by the options.
void TakeEvent(const Event& event, const ReadJobsOptions& options, Job& job);

// Accounts for scheduler events of the job, after its own.
void TakeScheduled(const std::vector<Event>& events, std::optional<int64_t> at, Job& job);

// Counts missing events, after all were taken.
void NoteMissing(Job& job);

// notes of the job's events, from readers and from the accounting.
Notes NoteCountsOf(const Job& job);

inline constexpr size_t kMostJobs = 6;

struct Jobs {
  std::deque<Job> jobs;  // in the order of their first events; at most kMostJobs
  bool more = false;     // there were more jobs, whose events were skipped
  std::vector<InputFile> files;
  std::vector<Note> notes;         // by file
  Phrase lead;                     // leads the answer, with a space: what is lost of a ledger
  std::vector<std::string> known;  // names of all jobs, if the one asked for is none of them
};

// Reads all files in order; where events of a recorder came out of order, by their sequence
// numbers. Entries without a job name belong to the previously named job. Fails if a file cannot be
// opened.
Result<Jobs> ReadJobs(const std::vector<std::string>& files, const ReadJobsOptions& options);

}  // namespace stepscope::goodput
