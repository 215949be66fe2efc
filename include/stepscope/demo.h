// Writes a synthetic training job: Kineto traces of several ranks whose ground truth is known.
//
// It is a newcomer's first input, and the data of tests and benchmarks. The job is data parallel:
// forward, backward with bucketed all-reduce on a second stream, optimizer, a host that feeds it.
// It may also be parallel in tensors, stages and experts.
// Same options and seed, same JSON, byte for byte, whatever the machine and its number of
// processors; docs/demo.md tells the job and what truth.json holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

struct DemoOptions {
  int ranks = 4;    // 1 to 16384
  int devices = 1;  // of each rank, 1 to 16: with several, one process drives them, a thread each
  int steps = 4;    // 1 to 100000
  uint64_t seed = 1;
  // The planted troubles. Each is recorded in truth.json, so that an answer can be checked.
  int slow_rank = 2;  // this rank's compute kernels take `slow_factor` as long; -1: none
  std::vector<int> other_slow_ranks;  // and those of these
  double slow_factor = 1.25;          // 1 to 100
  int slow_device = -1;               // only this device of `slow_rank` is slow; -1: all of them
  // Number of its first slow step, 0 to 1e9; the job's first step is number 3.
  int64_t slow_since = 0;
  // Share of each step's all-reduce time that no compute hides, from 0 to 1, as far as one rank is
  // concerned: ranks that wait for a slow one inside their collectives come to another share.
  double exposed_fraction = 0.4;
  // Share of each step in which the GPU waits for the host, from 0 to 0.9.
  double host_gap_fraction = 0.08;
  // It waits for a Python function of the training loop, log_metrics, not for the next batch.
  bool gap_in_python = false;
  // Ranks of each host, 1 to 64. With several hosts of several ranks, each of one device, gradients
  // are reduced between ranks of equal place in their hosts, as over a network of rails, and only
  // the last bucket among all.
  int ranks_per_host = 1;
  // The ranks of this host wait `slow_factor` - 1 of a step longer for their batches; -1: none.
  int slow_host = -1;
  // Collectives take `slow_factor` as long among the ranks of this place in their hosts; -1: none.
  int slow_link = -1;
  // With any of these above 1, replicas of the model span several ranks, each of one device. Rank
  // (stage * replicas + replica) * tensor + part has a part of a stage's layers.
  int tensor = 1;         // ranks that share each layer, 1 to 64
  int pipeline = 1;       // stages, 1 to 256; each has `layers` / `pipeline` layers, at least one
  int expert_groups = 1;  // replicas that share the experts of their layers: divides the replicas
  int microbatches = 4;   // that a step of such a job consists of, 1 to 256
  // The clocks of the hosts are up to this many ns ahead of or behind the true time, 0 to 1e9. What
  // truth.json says stays in true time.
  int64_t clock_spread = 0;
  // The first step records a CUDA graph for this many ns: launches that become nodes of the graph
  // and run no kernel. 0: none; at most 1e10.
  int64_t graph_capture = 0;
  // All-reduces run in a library that nobody knows: neither the kernel's name nor its record says
  // that it communicates.
  bool unknown_library = false;
  // Layers of the model, 1 to 10000: scales the events, about 460 for each layer, step and rank.
  int layers = 24;
  // Python call stacks and tensor shapes beside the operators, as `with_stack` and `record_shapes`
  // record them: brings the bytes per event to those of real traces.
  bool stacks = true;
  bool compress = true;  // .json.gz, else .json
  // 0, or: repeat steps until every rank's trace has at least this many bytes of raw JSON.
  int64_t min_raw_bytes = 0;
};

struct DemoSummary {
  int files = 0;       // truth.json included
  int64_t events = 0;  // over all ranks: every record of a trace, those that name tracks included
  int64_t raw_bytes = 0;  // JSON before compression, truth.json aside
};

// Writes rank-N.pt.trace.json[.gz] for every rank and truth.json into `folder`, which is made if it
// does not exist. Each file is written beside its name, synced, then renamed, so that none is ever
// seen half written. Fails without touching anything when an option is out of its range, or when
// `folder` holds files that no demo wrote; those of an earlier demo are replaced, and what is left
// of them is removed at the end.
Result<DemoSummary> WriteDemo(const std::string& folder, const DemoOptions& options);

}  // namespace stepscope
