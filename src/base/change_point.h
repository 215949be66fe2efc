// Finds since when a series of values has another level: one split into two medians.
//
// Of all splits that one is taken whose two sides deviate least from their medians, as a sum of
// absolute deviations (the L1 cost of one change point; Bai 1995, "Least absolute deviation
// estimation of a shift"). It is accepted where the difference of the medians is far beyond the
// spread: at least 6 + 70 / (n - 2)^2 times the mean absolute deviation from them. Of 1000 series
// of normally, exponentially or uniformly distributed noise, or with rare exceptions, at most five
// have such a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

struct ChangePoint {
  size_t at = 0;      // index of the first value of the new level
  double before = 0;  // median of the values before it, less the first where it is exceptional
  double since = 0;   // median of the values from it on
  size_t before_count = 0;

  double Difference() const { return since - before; }
};

// Each side has two values at least, and an eighth of all, but for those next to the split that
// are nearer to the other side's median. A first value that hides the change is
// left out: the first step of a recording is often exceptional. `least`: the smallest difference of
// medians that counts. Needs four values. n log n.
std::optional<ChangePoint> FindChangePoint(std::span<const int64_t> values, double least);

// The sum of absolute deviations from the medians of both sides of the best split, accepted or not.
// A side has one value at least. REQUIRES: two values.
double DeviationFromOneChange(std::span<const int64_t> values);

}  // namespace stepscope
