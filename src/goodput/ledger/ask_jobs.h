// The first half of every question about a job: its events read, and the job chosen.
#pragma once

#include <vector>

#include "goodput/accounting/jobs.h"
#include "goodput/accounting/partition.h"
#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

struct AskedJobs {
  Jobs jobs;
  Job* job = nullptr;  // in `jobs`: the one that is meant; null: there are no events of it
  std::vector<Note> scheduler_notes;
};

// Reads the files of events and what schedulers printed. Fails when nothing was given, a file
// cannot be read, or it is not clear which job is meant.
Result<AskedJobs> AskJobs(const GoodputReportOptions& options);

// Time, window and exclusions.
Question QuestionOf(const GoodputReportOptions& options);

}  // namespace stepscope::goodput
