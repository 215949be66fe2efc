// Finds values that are exceptional at regular intervals, as steps with a checkpoint are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

struct Period {
  size_t first = 0, every = 0, times = 0;  // indices: first, first + every, ...
  double usual = 0;                        // median of the other values
  double high = 0;                         // median of these
};

// Every value above the middle between the low and the high ones, or else every one beyond the
// spread of most, is in the period, and none is missing, but for the first of all, which is often
// exceptional. Needs three of them, each `least` above the usual and far beyond the spread of the
// others; no more than half are. n log n.
std::optional<Period> FindPeriod(std::span<const int64_t> values, double least);

}  // namespace stepscope
