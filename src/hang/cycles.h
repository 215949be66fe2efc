// Finds the ends of a graph of waits: strongly connected parts that nothing leaves.
#pragma once

#include <cstdint>
#include <vector>

namespace stepscope::hang {

// `edges[i]`: the nodes that node i waits for. Each part is the nodes of one end that something
// leads to or that has an edge of its own, in ascending order. Takes time linear in nodes and
// edges, and no recursion.
std::vector<std::vector<uint32_t>> EndsOf(const std::vector<std::vector<uint32_t>>& edges);

}  // namespace stepscope::hang
