// Reads pieces of JSON text: exact numbers, unescaped strings, and the end of a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stepscope {

inline bool IsSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// The token without the space behind it.
inline std::string_view WithoutSpace(std::string_view token) {
  while (!token.empty() && IsSpace(token.back())) token.remove_suffix(1);
  return token;
}

// Whether the token is a number as RFC 8259 writes them, of any size.
bool IsJsonNumber(std::string_view token);

// As ScaleDecimal(), into `value`. An optional that is returned from a function goes through
// memory, where GCC 12 loads what it stored in pieces as one, and waits for it.
bool ReadDecimal(std::string_view token, int power, int64_t& value);

// The number a token spells, times ten to `power`, cut off towards zero; quotes around it are
// ignored. Exact: a double cannot hold 1682725898237042.123 us. Nothing when it is no number or too
// large.
//   ScaleDecimal("1682725898237042.123", 3) == 1682725898237042123
//   ScaleDecimal("1.5e3", 0) == 1500
inline std::optional<int64_t> ScaleDecimal(std::string_view token, int power) {
  int64_t value;
  if (!ReadDecimal(token, power, value)) return std::nullopt;
  return value;
}

// The same as a double, for numbers that measure: "3.52". Nothing for NaN, infinities and no
// number.
std::optional<double> RealNumber(std::string_view token);

// An escape of a string: `\\n`, `\\u00e9`, a pair of surrogates.
struct Escape {
  size_t length = 0;  // 0: JSON knows no such escape
  bool half = false;  // one surrogate without the other, which is no character
};

// The escape that begins with the backslash at `at`. `inside`: what is between the quotes.
Escape EscapeAt(std::string_view inside, size_t at);

// Calls f(at, escape) for each escape of a string until it returns false; false then. `inside`:
// what is between the quotes. REQUIRES: f returns false for an escape that JSON does not know.
template <class F>
bool ForEachEscape(std::string_view inside, const F& f) {
  for (size_t at = inside.find('\\'); at != inside.npos; at = inside.find('\\', at)) {
    const Escape escape = EscapeAt(inside, at);
    if (!f(at, escape)) return false;
    at += escape.length;
  }
  return true;
}

// The text a string token stands for: quotes removed, escapes resolved, half a pair of surrogates
// replaced by U+FFFD. `scratch` holds the result when it differs from the token. A token that is no
// string comes back as it is.
std::string_view TextOf(std::string_view token, std::string& scratch);

// Just behind the JSON value that begins at `from` (no space before it); null if it does not end
// before `end`. Looks at brackets and strings only, so any nesting costs one pass and no stack.
const char* EndOfValue(const char* from, const char* end);

// Replaces bytes that no JSON text may hold, in place: control characters inside strings and bytes
// that are no UTF-8 become '?'. Returns how many. REQUIRES: `from` is outside any string.
int64_t ReplaceInvalid(char* from, char* end);

}  // namespace stepscope
