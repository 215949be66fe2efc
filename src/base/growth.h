// Finds whether values grow all along, by about as much each time.
//
// A line is put through them: its slope is the median of the slopes between values half of the
// series apart (Theil 1950, incomplete method), its height the median of what remains. A sudden
// change of level has a slope, too: the line must leave at most half of the absolute deviations
// that the best single change of level leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

struct Growth {
  double each = 0;   // by how much the next value is larger
  double first = 0;  // the line's first value
};

// `least`: by how much the line's last value is above its first one, at least. Needs six values.
// n log n.
std::optional<Growth> FindGrowth(std::span<const int64_t> values, double least);

// The slope of the line, whether or not it explains the values. REQUIRES: two values.
double SlopeOf(std::span<const int64_t> values);

struct FittedLine : Growth {
  double left = 0;  // the sum of absolute deviations from it
};
// Whether or not it explains the values. REQUIRES: two values.
FittedLine LineThrough(std::span<const int64_t> values);

}  // namespace stepscope
