// Lowers ASCII letters and keeps all other bytes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace stepscope {

// With A to Z in lower case; all other bytes stay.
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

}  // namespace stepscope
