// Links the operations of one replica in one step: what kinds of operations wait for what.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/operations.h"

namespace stepscope {

inline constexpr uint32_t kNoOperationGroup = UINT32_MAX;

// An operation of one replica in one step.
struct OperationNode {
  OperationKind kind = OperationKind::kForward;
  uint32_t stage = 0;                  // 0, 1, ...
  uint32_t group = kNoOperationGroup;  // index into OperationGraph::groups
  std::vector<uint32_t> after;         // nodes that end before it starts
};

// Nodes that start together: each ends its own time after the last has started.
struct OperationGroup {
  std::vector<uint32_t> members;
  bool across_dp = false;  // with the same nodes of all replicas
};

struct OperationLinks {
  std::vector<OperationNode> nodes;  // of each of `operations`
  std::vector<OperationGroup> groups;
};

// REQUIRES: sorted by stage, kind, then sequence; stages are 0 to `stages` - 1.
OperationLinks LinkOperations(std::span<const Operation> operations, uint32_t stages);

}  // namespace stepscope
