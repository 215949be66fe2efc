// Finds values that are exceptional at regular intervals, as steps with a checkpoint are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stepscope {

struct Period {
  std::vector<size_t> members;  // indices of the values in it
  int64_t every = 0;            // from the place of one to that of the next, if it was recorded
  double usual = 0;             // median of the other values
  double high = 0;              // median of these
};

// `places`: of the values, ascending; of places that are missing nothing is known. High values are
// those above the middle between the low and the high ones, or those beyond the spread of most, or
// those above the widest gap. Every one of them is in the period, and no value that has a place in
// it is low, but for the first of all, which is often exceptional. Needs three of them, each
// `least` above the usual and far beyond the spread of the others; no more than half are. n log n.
std::optional<Period> FindPeriod(std::span<const int64_t> places, std::span<const int64_t> values,
                                 double least);

}  // namespace stepscope
