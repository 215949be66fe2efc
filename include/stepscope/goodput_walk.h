// From the fleet to the kernel: the goodput of a job, and where the time of its steps goes.
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
  // Of all ranks. With a program in the goodput's options, program goodput comes from the traces'
  // step time: tokens_per_step / step time.
  double tokens_per_step = 0;
  int threads = 0;
  std::function<void(const Progress&)> on_progress;
};

// The reports of GoodputReport(), then those of the traces that say where a step's time goes:
// temporal_breakdown, comm_overlap, idle_time, stragglers, kernel_breakdown, with their findings.
// Fails as GoodputReport() and Session do, and when tokens per step are given and the traces hold
// no two steps.
Result<ReportSet> GoodputWalk(GoodputReportOptions options, std::span<const std::string> traces,
                              const WalkOptions& walk);

}  // namespace stepscope
