// Classifies the characters that names are made of. Bytes above 127 count as letters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace stepscope::redact {

inline constexpr bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
inline constexpr bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
inline constexpr bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline constexpr bool IsAlpha(char c) {
  return IsLower(c) || IsUpper(c) || static_cast<unsigned char>(c) > 127;
}
inline constexpr bool IsAlnum(char c) { return IsAlpha(c) || IsDigit(c); }
inline constexpr bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The end of the run of characters from `at` on for which is(c) holds, of at most `most`.
template <class Is>
size_t RunEnd(std::string_view text, size_t at, const Is& is, size_t most = SIZE_MAX) {
  const size_t limit = most < text.size() - at ? at + most : text.size();
  while (at < limit && is(text[at])) ++at;
  return at;
}

// Whether `words`, in lower case and between spaces, hold this one in any case.
inline bool IsOneOf(std::string_view words, std::string_view word) {
  return words.contains(" " + Lower(word) + " ");
}

// Of digits, points and signs.
inline bool IsNumber(std::string_view text) {
  const auto in_number = [](char c) { return IsDigit(c) || c == '.' || c == '-' || c == '+'; };
  return !text.empty() && RunEnd(text, 0, in_number) == text.size();
}

}  // namespace stepscope::redact
