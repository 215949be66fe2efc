// A training job made up on the spot: Kineto traces of several ranks whose ground truth is known.
//
// It is a newcomer's first input, and the data of tests and benchmarks. The job is data parallel:
// forward, backward with bucketed all-reduce on a second stream, optimizer, a host that feeds it.
// Same options and seed, same bytes.
#pragma once

#include <cstdint>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

struct DemoOptions {
  int ranks = 4;
  int steps = 4;
  uint64_t seed = 1;
  // The planted troubles. Each is recorded in truth.json, so that an answer can be checked.
  int slow_rank = 2;               // this rank's compute kernels take `slow_factor` as long; -1: none
  double slow_factor = 1.25;
  double exposed_fraction = 0.4;   // share of each step's all-reduce time that no compute hides
  double host_gap_fraction = 0.08; // share of each step in which the GPU waits for the host
  // Layers of the model: scales the number of events of every step (about 150 a layer and step).
  int layers = 24;
  // Python call stacks and tensor shapes beside the operators, as `with_stack` and `record_shapes`
  // record them: brings the bytes per event to those of real traces.
  bool stacks = true;
  bool compress = true;            // .json.gz, else .json
  // 0, or: repeat steps until every rank's trace has at least this many bytes of raw JSON.
  int64_t min_raw_bytes = 0;
};

struct DemoSummary {
  int files = 0;
  int64_t events = 0;     // over all ranks
  int64_t raw_bytes = 0;  // JSON before compression
};

// Writes rank-N.pt.trace.json[.gz] for every rank and truth.json into `folder`, which is made if it
// does not exist and must hold no other files. Each file is written beside its name, synced, then
// renamed, so that none is ever seen half written.
Result<DemoSummary> WriteDemo(const std::string& folder, const DemoOptions& options);

}  // namespace stepscope
