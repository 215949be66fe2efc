// Times the operations of a job anew, with other durations and without launch delays.
//
// Every operation starts as early as what it waits for allows. One that communicates ends its
// transfer after the last member of its group has started; its transfer, as recorded, is its own
// end minus that moment.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/operations/operation_graph.h"

namespace stepscope {

// ns of each node in each lane, [node * lanes + lane]: of communication its transfer, of everything
// else its duration. As recorded. Where clocks make a transfer negative by 10 ms or more, it is 0.
std::vector<int64_t> WorkOf(const OperationGraph& graph);

// How long steps take with this work, ns: from the begin of the first operation to the end of the
// last. Each `replicas` lanes are one step. REQUIRES: work.size() is a multiple of nodes *
// replicas.
std::vector<int64_t> ReplayOperations(const OperationGraph& graph, const std::vector<int64_t>& work,
                                      size_t replicas);

}  // namespace stepscope
