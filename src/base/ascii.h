// Recognizes ASCII digits, changes the case of ASCII letters and trims ASCII spaces; all other
// bytes stay.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

inline constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Of a name in a program: a letter, a digit or an underscore.
inline constexpr bool IsWordChar(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// `text` with A to Z in lower case.
inline std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// `text` with a to z in upper case.
inline std::string Upper(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return upper;
}

// `text` without spaces, tabs and line breaks at its ends.
inline std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace stepscope
