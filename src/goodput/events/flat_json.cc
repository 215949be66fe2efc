// Guesses the keys, walks the values.
#include "goodput/events/flat_json.h"

#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/ascii.h"

namespace stepscope::goodput {
namespace {

constexpr auto kPowersOfTen = std::to_array<double>(
    {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15});

void SkipSpace(const char*& p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) ++p;
}

bool Take(const char*& p, const char* end, char wanted) {
  SkipSpace(p, end);
  if (p == end || *p != wanted) return false;
  ++p;
  return true;
}

// The text after an opening quote, up to the closing one, which is passed. False at escapes and at
// what JSON forbids inside of strings.
bool TakeText(const char*& p, const char* end, std::string_view& text) {
  const char* begin = p;
  for (; p < end; ++p) {
    const auto c = static_cast<unsigned char>(*p);
    if (c == '"') {
      text = {begin, p};
      ++p;
      return true;
    }
    // Whether other bytes are UTF-8 is for a real parser to say.
    if (c == '\\' || c < 0x20 || c >= 0x80) return false;
  }
  return false;
}

struct Digits {
  bool whole = false;  // an integer; else `value` is it
  double value = 0;
  int64_t integer = 0;
};

constexpr auto kWholePowersOfTen = std::to_array<uint64_t>(
    {1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000});

// Appends up to eight digits at `p` to `value`, and says how many. The eight bytes there are read
// at once, as a number whose lowest byte comes first.
[[gnu::always_inline]] inline size_t TakeEight(const char* p, uint64_t& value) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t digits = 0;
  std::memcpy(&digits, p, sizeof digits);
  digits ^= '0' * kOnes;
  // The highest bit of each byte that is more than nine; bytes behind the first may be wrong.
  const uint64_t others = ((digits + (0x7f - 9) * kOnes) | digits) & (0x80 * kOnes);
  const auto count = static_cast<size_t>(std::countr_zero(others)) / 8;  // 8: all are digits
  if (count == 0) return 0;
  digits <<= 8 * (8 - count);  // zeros in front
  // Pairs of digits in every other byte; then the four pairs by their weights, in the upper half.
  digits = digits * 10 + (digits >> 8);
  constexpr uint64_t kPairs = 0x000000ff000000ff;
  digits = (digits & kPairs) * (100 + (uint64_t{1'000'000} << 32)) +
           (digits >> 16 & kPairs) * (1 + (uint64_t{10'000} << 32));
  value = value * kWholePowersOfTen[count] + (digits >> 32);
  return count;
}

// Appends the digits at `p` to `value`, which wraps around where they are too many.
[[gnu::always_inline]] inline void TakeDigits(const char*& p, const char* end, uint64_t& value) {
  if constexpr (std::endian::native == std::endian::little) {
    while (end - p >= 8) {
      const size_t count = TakeEight(p, value);
      p += count;
      if (count < 8) return;
    }
  }
  for (; p < end && IsDigit(*p); ++p) value = value * 10 + static_cast<uint64_t>(*p - '0');
}

// The double nearest to mantissa / 10^fraction, as a parser of decimals would have it; false where
// this takes more thought. Integers below 2^53 and powers to 10^22 are doubles, and one division of
// them rounds once. Where long doubles have 64 bits, larger mantissas divide to 64 bits first, and
// rounding again goes wrong only for what lies in the middle between two doubles then.
bool Divide(uint64_t mantissa, size_t fraction, double& value) {
  if (fraction >= kPowersOfTen.size()) return false;
  if (mantissa < uint64_t{1} << 53) {
    value = static_cast<double>(static_cast<int64_t>(mantissa)) / kPowersOfTen[fraction];
    return true;
  }
  using Long = long double;
  if constexpr (std::numeric_limits<Long>::digits == 64) {
    const Long exact = static_cast<Long>(mantissa) / static_cast<Long>(kPowersOfTen[fraction]);
    uint64_t bits = 0;
    std::memcpy(&bits, &exact, sizeof bits);  // its 64 bits of mantissa
    value = static_cast<double>(exact);
    return (bits & 0x7ff) != 0x400;
  }
  return false;
}

// More digits than fit are left to the standard library. Exponents and what lies beyond 2^63 are
// left to the real parser.
bool TakeNumber(const char*& p, const char* end, Digits& number) {
  const char* begin = p;
  const bool negative = *p == '-';
  if (negative) ++p;
  const char* digits = p;
  uint64_t mantissa = 0;
  TakeDigits(p, end, mantissa);
  const auto whole = p - digits;
  if (whole == 0 || whole > 19 || (*digits == '0' && whole > 1)) return false;
  if (mantissa > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return false;
  const auto integer = static_cast<int64_t>(mantissa);
  std::ptrdiff_t fraction = 0;
  if (p < end && *p == '.') {
    const char* point = p++;
    TakeDigits(p, end, mantissa);
    fraction = p - point - 1;
    if (fraction == 0) return false;
  }
  if (p < end && (*p == 'e' || *p == 'E')) return false;
  number.whole = fraction == 0;
  number.integer = negative ? -integer : integer;
  if (number.whole) return true;
  if (whole + fraction <= 19 && Divide(mantissa, static_cast<size_t>(fraction), number.value)) {
    if (negative) number.value = -number.value;
    return true;
  }
  return std::from_chars(begin, p, number.value).ec == std::errc();
}

bool TakeWord(const char*& p, const char* end, std::string_view word) {
  if (static_cast<size_t>(end - p) < word.size()) return false;
  if (std::memcmp(p, word.data(), word.size()) != 0) return false;
  p += word.size();
  return true;
}

void SetDigits(Entry& entry, Field field, const Digits& number) {
  if (field == Field::kCount) return;
  if (number.whole) {
    entry.SetInteger(field, number.integer);
  } else {
    entry.SetNumber(field, number.value);
  }
}

}  // namespace

bool FlatJson::TakeValue(const char*& p, const char* end, Field field, Entry& entry) {
  if (p == end) return false;
  const bool ours = field != Field::kCount;
  if (ours) {
    repeated_ = repeated_ || (fields_ >> static_cast<size_t>(field) & 1) != 0;
    fields_ |= uint64_t{1} << static_cast<size_t>(field);
  }
  if (*p == '"') {
    std::string_view text;
    if (!TakeText(++p, end, text)) return false;
    if (ours) entry.SetText(field, text);
    return true;
  }
  if (*p == '-' || IsDigit(*p)) {
    const char* const begin = p;
    Digits number;
    if (!TakeNumber(p, end, number)) return false;
    numbers_.push_back({static_cast<size_t>(begin - text_), static_cast<size_t>(p - text_), field});
    SetDigits(entry, field, number);
    return true;
  }
  if (*p == 'n') {
    if (ours) entry.SetNull(field);
    return TakeWord(p, end, "null");
  }
  if (*p == 't' || *p == 'f') {
    if (ours) entry.SetNull(field);  // no field of ours is a truth
    return TakeWord(p, end, *p == 't' ? "true" : "false");
  }
  return false;
}

// The field named between the quotes at `p`, which stands behind the opening one; what follows
// then is the colon. kCount with `p` null: no plain key.
Field FlatJson::NextField(const char*& p, const char* end) {
  const size_t at = at_ < kGuesses ? at_++ : kGuesses - 1;
  const Field guess = before_[at];
  if (guess != Field::kCount) {
    const std::string_view name = FieldName(guess);
    if (static_cast<size_t>(end - p) > name.size() && p[name.size()] == '"' &&
        std::memcmp(p, name.data(), name.size()) == 0) {
      p += name.size() + 1;
      return guess;
    }
  }
  std::string_view key;
  if (!TakeText(p, end, key)) {
    p = nullptr;
    return Field::kCount;
  }
  return before_[at] = FieldNamed(key);
}

bool FlatJson::ReadAll(std::string_view text, Entry& entry) {
  entry.Clear();
  at_ = 0;
  text_ = text.data();
  const char* p = text.data();
  const char* end = p + text.size();
  if (!Take(p, end, '{')) return false;
  SkipSpace(p, end);
  bool more = p == end || *p != '}';
  if (!more) ++p;
  while (more) {
    if (!Take(p, end, '"')) return false;
    const Field field = NextField(p, end);
    if (p == nullptr || !Take(p, end, ':')) return false;
    SkipSpace(p, end);
    if (!TakeValue(p, end, field, entry)) return false;
    SkipSpace(p, end);
    if (p == end || (*p != ',' && *p != '}')) return false;
    more = *p++ == ',';
  }
  SkipSpace(p, end);
  return p == end;
}

bool FlatJson::ReadAsBefore(std::string_view& text, Entry& entry) const {
  if (shape_.empty()) return false;
  const char* p = text.data();
  const char* const end = p + text.size();
  size_t begin = 0;  // of what stands between two numbers
  const auto same = [&](size_t until) {
    const size_t size = until - begin;
    if (static_cast<size_t>(end - p) < size) return false;
    if (std::memcmp(p, shape_.data() + begin, size) != 0) return false;
    p += size;
    return true;
  };
  for (const Number& number : numbers_) {
    Digits digits;
    if (!same(number.begin) || p == end || (*p != '-' && !IsDigit(*p))) return false;
    if (!TakeNumber(p, end, digits)) return false;
    if (number.field != Field::kCount) {
      entry.ChangeNumber(number.field, digits.whole, digits.integer, digits.value);
    }
    begin = number.end;
  }
  if (!same(shape_.size())) return false;
  text.remove_prefix(static_cast<size_t>(p - text.data()));
  return true;
}

bool FlatJson::Read(std::string_view text, Entry& entry) {
  shape_.clear();
  numbers_.clear();
  fields_ = 0;
  repeated_ = false;
  if (!ReadAll(text, entry)) return false;
  if (repeated_ || entry.empty()) return true;
  // From now on the texts are those of the shape.
  shape_ = text;
  entry.MoveTexts(text.data(), shape_.data());
  return true;
}

}  // namespace stepscope::goodput
