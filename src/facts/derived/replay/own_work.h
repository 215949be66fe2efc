// Divides what each rank does itself into units that can be compared between ranks and steps: each
// kernel or copy of a step, each operator or call of the host without those within it, and each
// stretch of the host before one. The n-th of its name in one step is that of another step.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

enum class UnitKind : uint8_t {
  kDevice,  // a kernel or copy
  kHost,    // an operator or call
  kBefore,  // the host in none, until it begins this one
};

struct OwnUnit {
  uint32_t step = 0;  // index into JobGraph::steps
  uint64_t key = 0;   // the same for the same unit of other ranks and steps
  UnitKind kind = UnitKind::kDevice;
  StringId name = kNoString;
  int64_t time = 0;  // ns, as recorded
};

struct OwnWork {
  std::vector<OwnUnit> units;     // by step, then key
  std::vector<uint32_t> unit_of;  // of each of graph.edges, or kNowhere
  std::vector<uint32_t> peers;    // ranks with the same work, itself among them

  bool HasPeers() const { return peers.size() > 1; }
};

// Of each of graph.ranks. Ranks do the same work if nine in ten of their units are the same.
const std::vector<OwnWork>& OwnWorkOf(const Facts& facts);

}  // namespace stepscope
