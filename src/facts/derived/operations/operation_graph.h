// Derives which operations of a pipelined job wait for which.
//
// The rules are those of Lin et al., "Understanding Stragglers in Large Model Training Using
// What-if Analysis" (arXiv 2505.05713), as the authors' StragglerAnalysis (8efcd7f) applies them:
// operations of one stream follow one another in the order they were recorded, messages wait for
// what they send and computing for what it receives, collectives of data parallelism follow the
// computing of their part of the model, and all that communicates waits for the other members of
// its group. All steps and all replicas (dp) have the same dependencies, so they are derived once,
// from one replica in one step.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/operations/operation_links.h"
#include "stepscope/result.h"
#include "trace/operations.h"

namespace stepscope {

// What comes next in an order in which everything comes after what it waits for.
struct OperationEvent {
  bool ends = false;   // false: node `index` starts; one without a group ends too
  uint32_t index = 0;  // true: group `index` ends
};

struct OperationGraph {
  std::vector<OperationNode> nodes;  // by stage, kind, then sequence
  std::vector<OperationGroup> groups;
  std::vector<OperationEvent> order;
  std::vector<int64_t> steps;  // complete ones, ascending
  std::vector<int64_t> dp;     // the replicas' numbers, ascending
  uint32_t stages = 0;
  std::vector<int64_t> ranks;  // [replica * stages + stage]; -1: unknown
  // ns, [node * lanes() + step * replicas + replica], as recorded; starts count from the step's.
  std::vector<int64_t> starts, durations;
  int64_t dropped_steps = 0;  // in which operations are missing, or recorded twice

  size_t lanes() const { return steps.size() * dp.size(); }
};

// Fails where no step is complete, stages are missing, or operations wait in a circle. Linear but
// for sorting.
Result<OperationGraph> DeriveOperationGraph(const JobOperations& operations);

}  // namespace stepscope
