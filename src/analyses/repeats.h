// Finds repeated stretches of a sequence.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace stepscope {

struct Repeat {
  size_t length = 0;
  std::vector<size_t> starts;  // ascending; occurrences do not overlap
};

// The repeats that save most when each occurrence becomes one item, greedily: the one that saves
// most, then the one that saves most of what is left, up to `most` of them. None contains itself
// several times over: of "abab" twice it gives "ab" four times. O(n log^2 n) time, O(n) memory.
std::vector<Repeat> FindRepeats(std::span<const uint32_t> sequence, size_t most);

}  // namespace stepscope
