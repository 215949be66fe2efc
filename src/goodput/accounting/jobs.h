// Reads files of events, told apart by job.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "goodput/accounting/accounting.h"
#include "goodput/accounting/duplicates.h"
#include "goodput/accounting/ml_goodput.h"
#include "goodput/events/oddities.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What to do with the events of a job: by our accounting what came twice counts once, and what is
// later than `at` not at all; the reference library takes all there is.
struct ReadJobsOptions {
  bool ml_goodput = false;
  std::string job;  // only this one; empty: all
  std::optional<int64_t> at;
  // Of the job, by time: they join its own events in the order of time.
  std::vector<Event> scheduler;
};

struct Job {
  std::string name;
  int64_t events = 0;
  Accounting accounting;
  Duplicates duplicates;
  MlGoodput ml_goodput;
  Oddities oddities;
};

// Accounts for the event; false: it was there already, or is of after `at`, and that is counted.
bool AccountFor(const Event& event, std::optional<int64_t> at, Job& job);

// The same as the options have it.
void TakeEvent(const Event& event, const ReadJobsOptions& options, Job& job);

// Once all events are taken: those that never came.
void NoteMissing(Job& job);

// What was odd about the job's events, by those who took them and by its accounting.
Oddities OdditiesOf(const Job& job);

inline constexpr size_t kMostJobs = 6;

struct Jobs {
  std::deque<Job> jobs;  // in the order of their first events; no more than kMostJobs
  bool more = false;     // there were more, and their events are left out
  std::vector<InputFile> files;
  std::vector<Note> notes;  // by file
};

// Reads all files in order. Entries without a job's name belong to the job spoken of before. Fails
// when one cannot be opened.
Result<Jobs> ReadJobs(const std::vector<std::string>& files, const ReadJobsOptions& options);

}  // namespace stepscope::goodput
