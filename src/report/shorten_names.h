// Shortens the names of a column so that different ones stay different.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

struct ShortNames {
  std::vector<std::string> names;  // as many as came in, in their order
  size_t width = 0;                // columns of the widest
};

// Names without control characters, each at most `width` columns: cut in the middle; of those that
// would look alike then, around the part in which they differ. Where that does not fit, all may
// take up to 32 columns more. Costs O(n log n) comparisons.
ShortNames ShortenNames(std::span<const std::string_view> names, size_t width);

}  // namespace stepscope
