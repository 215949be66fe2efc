// Finds which operators of a trace the nodes of an execution trace are of.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ingest/execution_trace/execution_trace.h"
#include "trace/trace.h"

namespace stepscope {

// What joins the two.
enum class JoinedBy : uint8_t {
  kRecordFunction,  // "Record function id" of the trace's operators
  kExternalId,      // "External id", where it counts as the nodes do
  kOrder,           // the order of all calls on each thread, whose names are the same throughout
};

struct NodeMatch {
  struct Pair {
    EventId event = 0;
    uint32_t node = 0;  // of ExecutionTrace::nodes
  };
  JoinedBy by = JoinedBy::kRecordFunction;
  std::vector<Pair> pairs;   // ascending by event
  int64_t without_node = 0;  // operators that no node is of
};

// Nothing where the processes are different ones, where a name that both have under one number
// differs, or where nothing joins them. n log n. REQUIRES: the trace keeps operators and
// annotations.
std::optional<NodeMatch> MatchNodes(const ExecutionTrace& nodes, const Trace& trace);

// Gives the operators that were recorded without inputs those of their nodes. Returns how many.
int64_t TakeInputs(const ExecutionTrace& from, const NodeMatch& match, Trace& into);

}  // namespace stepscope
