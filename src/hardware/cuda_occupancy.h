// Computes how many threads of a kernel a multiprocessor holds at once, as NVIDIA's occupancy
// calculator does.
#pragma once

#include <cstdint>
#include <optional>

namespace stepscope {

// What a launch asks of a multiprocessor. All of it must be known.
struct LaunchNeeds {
  int64_t threads = 0;        // of a block
  int64_t registers = 0;      // of a thread
  int64_t shared_memory = 0;  // bytes of a block, static and dynamic
};

// Blocks that fit, or nothing for an architecture or a launch we do not know. `compute_capability`
// is 90 for 9.0; `threads` is how many a multiprocessor holds at most.
std::optional<int64_t> ResidentBlocks(const LaunchNeeds& needs, int compute_capability,
                                      int64_t threads);

// Threads of resident blocks among the most there can be, 0..1.
std::optional<double> TheoreticalOccupancy(const LaunchNeeds& needs, int compute_capability,
                                           int64_t threads);

}  // namespace stepscope
