// Tells whether a text starts with, or contains, any of several others.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string_view>

namespace stepscope {

inline bool StartsWithAny(std::string_view text, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view p) { return text.starts_with(p); });
}
inline bool StartsWithAny(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return StartsWithAny(text, std::span(prefixes.begin(), prefixes.size()));
}

inline bool ContainsAny(std::string_view text, std::span<const std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view p) { return text.contains(p); });
}

}  // namespace stepscope
