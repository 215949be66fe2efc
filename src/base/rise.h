// Finds since when, or in which places, values are far above the lowest ones, in noise that only
// adds: what else runs on a machine makes a stretch of time longer, and never shorter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stepscope {

// The minimum difference between two levels.
struct RiseLimits {
  double least = 0;  // that a high value is above the lower level
  double times = 1;  // and this multiple of it
};

// The lower level: the value with a tenth of all below it, so that some may be exceptional.
// REQUIRES: not empty.
int64_t FloorOf(std::span<const int64_t> values);

// Which values are high above this floor.
std::vector<bool> HighAbove(int64_t floor, std::span<const int64_t> values,
                            const RiseLimits& limits);

struct Rise {
  size_t at = 0;   // index of the first value of the higher level
  size_t end = 0;  // past the last of it: fewer than all where two or more are low again
  double before = 0, since = 0;  // medians; of FindSpell() of the other values, and of these

  double Difference() const { return since - before; }
};

// The split with the fewest exceptions: high values before, and others since; at last by which of
// the two medians is nearer. Nothing where more than a quarter of the values before, or an eighth
// of those since, are exceptions, or the medians are not so far apart. Each side has three values
// and a fifth of all; needs eight values. Values that grow all along (growth.h) have none. n log n.
std::optional<Rise> FindRise(std::span<const int64_t> values, const RiseLimits& limits);

// A level that ends again: all high values, and no other, in one stretch of three or more, at most
// half of all, with two values before it at least, as first ones are often high, and one after it.
// Needs eight values. n.
std::optional<Rise> FindSpell(std::span<const int64_t> values, const RiseLimits& limits);

}  // namespace stepscope
