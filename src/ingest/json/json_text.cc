// Implements exact numbers, unescaping and the end of JSON values.
#include "ingest/json/json_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/ascii.h"
#include "base/short_text.h"

namespace stepscope {
namespace {

std::string_view Trim(std::string_view token) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  if (token.size() >= 2 && token.front() == '"' && token.back() == '"') {
    token = token.substr(1, token.size() - 2);
  }
  return token;
}

// Passes over digits; false if there are none.
bool TakeDigits(std::string_view& token) {
  const size_t before = token.size();
  while (!token.empty() && IsDigit(token.front())) token.remove_prefix(1);
  return token.size() < before;
}

bool Take(std::string_view& token, std::string_view one_of) {
  if (token.empty() || !one_of.contains(token.front())) return false;
  token.remove_prefix(1);
  return true;
}

// Appends a decimal digit; false if the number is full.
bool AppendDigit(int64_t& number, char digit) {
  constexpr int64_t kRoomForAny = std::numeric_limits<int64_t>::max() / 10;
  if (number < kRoomForAny) {
    number = number * 10 + (digit - '0');
    return true;
  }
  int64_t longer;
  if (__builtin_mul_overflow(number, 10, &longer) ||
      __builtin_add_overflow(longer, digit - '0', &longer)) {
    return false;
  }
  number = longer;
  return true;
}

// How many of the eight bytes are digits, from the first to the first that is none; each byte is
// how far its character is from '0'.
int CountDigits(uint64_t values) {
  // Above 9 a byte gets its high bit, or has it. What it carries goes to those behind it.
  constexpr uint64_t kAboveNine = 0x7676767676767676, kHighBits = 0x8080808080808080;
  const uint64_t none = ((values + kAboveNine) | values) & kHighBits;
  return std::countr_zero(none) / 8;
}

// The number that eight digits stand for: pairs of neighbors are joined three times over.
int64_t JoinDigits(uint64_t values) {
  values = (values * 10 + (values >> 8)) & 0x00ff00ff00ff00ff;
  values = (values * 100 + (values >> 16)) & 0x0000ffff0000ffff;
  return static_cast<int64_t>((values * 10'000 + (values >> 32)) & 0xffffffff);
}

// Appends the digits at `p` as far as they fit, and returns where it stopped. Eight at a time: most
// numbers are shorter, and where they end cannot be foretold.
[[gnu::always_inline]] inline const char* AppendDigits(int64_t& number, const char* p,
                                                       const char* end) {
  constexpr std::array<int64_t, 9> kPowers = {1,       10,        100,        1'000,      10'000,
                                              100'000, 1'000'000, 10'000'000, 100'000'000};
  constexpr int64_t kRoomForEight = std::numeric_limits<int64_t>::max() / kPowers[8] - 1;
  while (number < kRoomForEight) {
    const uint64_t values = LoadEight({p, end}) ^ 0x3030303030303030;
    const int count = CountDigits(values);
    if (count == 0) return p;
    // In front of them come zeros, which are worth nothing.
    number = number * kPowers[static_cast<size_t>(count)] + JoinDigits(values << (64 - 8 * count));
    p += count;
    if (count < 8) return p;
  }
  while (p != end && IsDigit(*p) && AppendDigit(number, *p)) ++p;
  return p;
}

// Multiplies by 10^power, towards zero; false when it overflows.
bool Shift(int64_t& value, int64_t power) {
  for (; power > 0 && value != 0; --power) {
    if (__builtin_mul_overflow(value, 10, &value)) return false;
  }
  for (; power < 0 && value != 0; ++power) value /= 10;
  return true;
}

// Length of the UTF-8 sequence at `p`, 0 if there is none.
size_t SequenceLength(const unsigned char* p, const unsigned char* end) {
  const auto continues = [&](size_t i) { return p + i < end && (p[i] & 0xc0) == 0x80; };
  if (p[0] < 0x80) return 1;
  if (p[0] >= 0xc2 && p[0] <= 0xdf) return continues(1) ? 2 : 0;
  if ((p[0] & 0xf0) == 0xe0) {
    const bool overlong = p[0] == 0xe0 && p + 1 < end && p[1] < 0xa0;
    const bool surrogate = p[0] == 0xed && p + 1 < end && p[1] >= 0xa0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (p[0] >= 0xf0 && p[0] <= 0xf4) {
    const bool overlong = p[0] == 0xf0 && p + 1 < end && p[1] < 0x90;
    const bool beyond = p[0] == 0xf4 && p + 1 < end && p[1] >= 0x90;
    return continues(1) && continues(2) && continues(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

// The number of four hexadecimal digits at `at`; -1 if there are none.
int CodeUnitAt(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int unit = -1;
  const char* const end = text.data() + at + 4;
  const bool digits = text[at] != '-';  // which from_chars() takes
  const auto [stop, error] = std::from_chars(text.data() + at, end, unit, 16);
  return digits && error == std::errc() && stop == end ? unit : -1;
}

bool IsSurrogate(int unit, int from) { return unit >= from && unit < from + 0x400; }

// The same with U+FFFD for each half of a pair.
std::string WithoutHalves(std::string_view token) {
  std::string whole;
  for (size_t at = 0; at < token.size();) {
    const Escape escape = token[at] == '\\' ? EscapeAt(token, at) : Escape{1};
    const size_t length = std::max<size_t>(escape.length, 1);
    whole += escape.half ? "\\ufffd" : token.substr(at, length);
    at += length;
  }
  return whole;
}

}  // namespace

bool IsJsonNumber(std::string_view token) {
  Take(token, "-");
  if (!Take(token, "0") && !TakeDigits(token)) return false;
  if (Take(token, ".") && !TakeDigits(token)) return false;
  if (Take(token, "eE")) {
    Take(token, "+-");
    if (!TakeDigits(token)) return false;
  }
  return token.empty();
}

Escape EscapeAt(std::string_view inside, size_t at) {
  constexpr int kHigh = 0xd800, kLow = 0xdc00;
  constexpr size_t kLength = 6;  // of \u00e9
  const char c = at + 1 < inside.size() ? inside[at + 1] : '\0';
  if (c != 'u') return {c != '\0' && std::string_view("\"\\/bfnrt").contains(c) ? size_t{2} : 0};
  const int unit = CodeUnitAt(inside, at + 2);
  if (unit < 0) return {};
  if (!IsSurrogate(unit, kHigh)) return {kLength, IsSurrogate(unit, kLow)};
  const bool pair = inside.substr(at + kLength).starts_with("\\u") &&
                    IsSurrogate(CodeUnitAt(inside, at + kLength + 2), kLow);
  return {pair ? 2 * kLength : kLength, !pair};
}

bool ReadDecimal(std::string_view token, int power, int64_t& value) {
  token = Trim(token);
  const char* p = token.data();
  const char* const end = p + token.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  if (p == end || !IsDigit(*p)) return false;
  int64_t digits = 0;
  int64_t exponent = power;
  p = AppendDigits(digits, p, end);
  bool full = p != end && IsDigit(*p);  // from here on digits only count
  for (; p != end && IsDigit(*p); ++p) ++exponent;
  if (p != end && *p == '.') {
    const char* fraction = ++p;
    if (!full) p = AppendDigits(digits, p, end);
    exponent -= p - fraction;
    for (; p != end && IsDigit(*p); ++p) full = true;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && *p == '+') ++p;
    int written = 0;
    const auto [stop, error] = std::from_chars(p, end, written);
    if (error != std::errc()) return false;
    p = stop;
    exponent += written;
  }
  if (p != end || (full && exponent > 0)) return false;
  value = negative ? -digits : digits;
  return Shift(value, exponent);
}

std::optional<double> RealNumber(std::string_view token) {
  token = Trim(token);
  double value = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || stop != token.data() + token.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string_view TextOf(std::string_view token, std::string& scratch) {
  while (!token.empty() && static_cast<unsigned char>(token.back()) <= ' ') token.remove_suffix(1);
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return token;
  const std::string_view inside = token.substr(1, token.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return inside;
  auto parsed = nlohmann::json::parse(token, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_string())
    parsed = nlohmann::json::parse(WithoutHalves(token), nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_string()) return inside;
  scratch = parsed.get<std::string>();
  return scratch;
}

const char* EndOfValue(const char* from, const char* end) {
  int64_t depth = 0;
  bool in_string = false;
  for (const char* p = from; p < end; ++p) {
    if (*p == '\\') {  // outside of strings, too, where it has no place: as json_scan sees it
      ++p;
      continue;
    }
    if (in_string) {
      if (*p == '"') {
        in_string = false;
        if (depth == 0) return p + 1;
      }
      continue;
    }
    switch (*p) {
      case '"':
        in_string = true;
        break;
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        if (depth == 0) return p;  // of a scalar: the bracket belongs to what surrounds it
        if (--depth == 0) return p + 1;
        break;
      case ',':
        if (depth == 0) return p;
        break;
      default:
        break;
    }
  }
  return nullptr;
}

int64_t ReplaceInvalid(char* from, char* end) {
  int64_t replaced = 0;
  bool in_string = false;
  for (char* p = from; p < end;) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(p);
    const size_t length = SequenceLength(bytes, reinterpret_cast<const unsigned char*>(end));
    if (length == 0 || (in_string && *bytes < 0x20)) {
      *p++ = '?';
      ++replaced;
    } else if (*p == '\\') {
      ++p;  // what is escaped is looked at as itself, unless it is a quote or another backslash
      if (p < end && (*p == '"' || *p == '\\')) ++p;
    } else {
      if (*p == '"') in_string = !in_string;
      p += length;
    }
  }
  return replaced;
}

}  // namespace stepscope
