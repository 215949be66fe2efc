// Says what impact findings about steps have on the job, and names the slow kernels of a slow rank.
#pragma once

#include <optional>

#include "stepscope/report.h"

namespace stepscope {

// Adds to each finding about a slow rank the kernels that take longer there than on the others.
void NameSlowKernels(ReportSet& of_traces);

// What the traces say of matrix multiplications and attention.
struct UseOfMatrices {
  double share = 0;  // of the time of devices; 0: unknown
  std::optional<bool> fused_attention;
};
UseOfMatrices MatricesIn(const ReportSet& of_traces);

// Adds to the report "walk" of `of_job` the table `advice`: the impact of each finding on the job,
// in time, points of goodput (that time of the job's whole time), chip-hours and cost. Findings
// about steps say it too. `price` is per chip-hour, 0 if unknown.
void AddAdvice(ReportSet& of_job, ReportSet& of_traces, double price);

}  // namespace stepscope
