// Asks what a job would be if something were otherwise.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

struct StragglerOptions {
  int threads = 0;               // to read traces with; 0: one per processor
  StorageRef storage = nullptr;  // of traces, as in OpenOptions
  std::function<void(const Progress&)> on_progress;
  std::stop_token stop;  // gives up soon after it is asked to
};

// How much longer steps are than without stragglers, and to which types, workers and stages that is
// due (arXiv 2505.05713). `paths`: traces, as Session::Open() takes them, or one Parquet file of
// the operations of a whole job (docs/formats/operations.md). The answer holds one report,
// "whatif". Fails where nothing can be read, or operations cannot be replayed, and when stopped;
// traces that cannot tell, as of one rank, are answered with "unavailable" and why.
Result<ReportSet> WhatIfStragglers(std::span<const std::string> paths,
                                   const StragglerOptions& options = {});

}  // namespace stepscope
