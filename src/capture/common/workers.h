// Finds the processes of a job that registered for captures: stepscope.profiler.init() in Python.
//
// Each has a small JSON file in a folder that all processes of the job see (docs/profiler.md). The
// content is not trusted: it may be anything that somebody put there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// What one file says of its process.
struct Worker {
  // Its door is "grpc", "torch" or "debug", its attempt as the goodput recorder names it.
  CaptureTarget target;
  int64_t started = 0;        // of the process, a moment
  std::string pid_namespace;  // in which it has its pid: "pid:[4026531836]"; empty: unknown
};

struct JobWorkers {
  // One per rank, of the newest attempt, by rank; those of unknown rank last.
  std::vector<CaptureTarget> targets;
  // How many ranks the world size tells of that have no file, and the first of them.
  int64_t missing = 0;
  std::vector<int64_t> missing_ranks;
  // Files that were not taken, each with the reason, without a period.
  std::vector<std::string> left_out;
};

// $STEPSCOPE_WORKERS, or stepscope/workers in $XDG_STATE_HOME, or in ~/.local/state. Empty without
// a home.
std::string WorkersFolder();

// Checks every field of a worker's file. The error says which one is wrong.
Result<Worker> ParseWorker(std::string_view json);

// The workers of the job in the folder; of `door`, or of all doors if that is empty. Files of other
// users, links, and files of processes of this machine that have ended are left out. Fails where
// the folder cannot be read, or nothing of the job is there: names the jobs that are.
Result<JobWorkers> FindWorkers(const std::string& folder, const std::string& job,
                               std::string_view door);

// "NAME" of the address "job:NAME"; nothing for other addresses.
std::optional<std::string> JobOfAddress(std::string_view address);

}  // namespace stepscope::capture
