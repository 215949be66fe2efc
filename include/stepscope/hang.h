// Asks which rank stopped a job, and where, of what its processes left behind.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope {

struct HangOptions {
  int threads = 0;               // to read dumps with; 0: one per processor
  int64_t world_size = 0;        // processes of the job; 0: as dumps say
  StorageRef storage = nullptr;  // of dumps, as in OpenOptions
  std::stop_token stop;          // gives up soon after it is asked to
};

// `paths`: dumps of PyTorch's Flight Recorder, or directories of them, one per rank
// (docs/formats/flight-recorder.md). The answer holds one report, "hang", with the tables "roots"
// and "waits". A dump that cannot be read becomes a note. Fails where there is no dump, and when
// stopped.
Result<ReportSet> FindHang(std::span<const std::string> paths, const HangOptions& options = {});

}  // namespace stepscope
