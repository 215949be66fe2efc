// Reports the goodput of a job and the breakdown of its steps from traces.
//
//   auto answer = stepscope::GoodputWalk({.files = {"job.jsonl"}, .program = model},
//                                        traces, {.tokens_per_step = 4.2e6});
#pragma once

#include <functional>
#include <span>
#include <string>

#include "stepscope/goodput_report.h"
#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

struct WalkOptions {
  // Of all ranks. With a program in the goodput options, program goodput uses tokens_per_step /
  // step time of the traces.
  double tokens_per_step = 0;
  int threads = 0;
  std::function<void(const Progress&)> on_progress;
};

// Returns the reports of GoodputReport(), then those of the traces on step time:
// temporal_breakdown, comm_overlap, idle_time, stragglers, kernel_breakdown, with their findings.
// options.stop stops both. Fails as GoodputReport() and Session, and if tokens per step are given
// and the traces hold fewer than two steps.
Result<ReportSet> GoodputWalk(GoodputReportOptions options, std::span<const std::string> traces,
                              const WalkOptions& walk);

}  // namespace stepscope
