// Writes whole numbers as ranges: "0-3,7", or "0..3,7".
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// REQUIRES: the numbers ascend.
inline std::string NumberRanges(std::span<const int64_t> numbers, std::string_view to = "-") {
  std::string text;
  for (size_t first = 0; first < numbers.size();) {
    size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += first == last ? fmt::format("{}", numbers[first])
                          : fmt::format("{}{}{}", numbers[first], to, numbers[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace stepscope
