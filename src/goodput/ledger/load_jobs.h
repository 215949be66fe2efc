// Loads the events that a query needs: reads them and selects the job.
#pragma once

#include <vector>

#include "goodput/accounting/jobs.h"
#include "goodput/accounting/partition.h"
#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct LoadedJobs {
  Jobs jobs;
  Job* job = nullptr;  // the requested one in `jobs`; null: it has no events
  std::vector<Note> scheduler_notes;
  Phrase scheduler_refusal;  // why no row of the scheduler's files is used, a sentence
};

// Reads event files or a ledger, and scheduler output. Fails if no input is given, a file cannot be
// read, or the job is ambiguous.
Result<LoadedJobs> LoadJobs(const GoodputReportOptions& options);

// All time of a job up to `at`, or now. A job that told nothing in the hour before has stopped.
PartitionQuery UpTo(const std::optional<int64_t>& at);

// Builds a query from time, window and exclusions.
PartitionQuery QueryOf(const GoodputReportOptions& options);

}  // namespace stepscope::goodput
