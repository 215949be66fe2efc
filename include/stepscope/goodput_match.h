// Finds the job of ledgers that the traces of a run are of.
//
//   auto match = stepscope::MatchGoodputJob({.names = {"llama-7b"}, .steps = steps}, {"ledger"});
//
// A run is a job's if it has the job's name, or the id that the scheduler gave it, and was not
// recorded when the job did not run; or if it was recorded while an attempt of the job ran, and no
// other job can be meant: several jobs of that time are told apart by the hosts that recorded them.
// The clocks of hosts may differ by a minute. Where time is all there is, step times must agree,
// too, and the files must not name other hosts than the job's.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/traced_step.h"

namespace stepscope {

// What a run tells of itself.
struct RunOfJob {
  // Of its folder, or of its file without ".pt.trace.json.gz" and the like; each may be a job's.
  std::vector<std::string> names;
  // Names of trace files: those of PyTorch and JAX begin with a host
  // ("node-7_123.456.pt.trace.json", "node-7.xplane.pb").
  std::vector<std::string> files;
  std::vector<TracedStep> steps;  // empty: the traces do not say when they were recorded
};

struct GoodputMatch {
  std::optional<size_t> store;  // which of the stores; absent: the run is of no job
  std::string job;
  // "goodput_match": the headline says why it is this job, metrics `job` and `attempt` (1, 2, ...)
  // which it is; `host` is one that the sentence names. Unavailable without one: `why` says what is
  // against it.
  Report report;
};

// Fails if a ledger cannot be read.
Result<GoodputMatch> MatchGoodputJob(const RunOfJob& run, std::span<const std::string> stores);

}  // namespace stepscope
