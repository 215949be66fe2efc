// Stores varints. There are many lists of few numbers: memory for more grows by a quarter, where a
// vector by itself would double it.
#include "goodput/accounting/short_numbers.h"

#include <string_view>

#include "base/varint.h"

namespace stepscope::goodput {

void ShortNumbers::Put(uint64_t number) {
  const size_t size = bytes_.size();
  if (bytes_.capacity() - size < kLongestVarint)
    bytes_.reserve(size + size / 4 + 2 * kLongestVarint);
  bytes_.resize(size + kLongestVarint);
  bytes_.resize(static_cast<size_t>(PutVarint(number, &bytes_[size]) - bytes_.data()));
}

// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
void ShortNumbers::PutSigned(int64_t number) {
  Put(static_cast<uint64_t>(number) << 1 ^ static_cast<uint64_t>(number >> 63));
}

uint64_t ShortNumbers::Take(size_t& at) const {
  uint64_t number = 0;
  std::string_view rest(reinterpret_cast<const char*>(bytes_.data()) + at, bytes_.size() - at);
  TakeVarint(rest, number);
  at = bytes_.size() - rest.size();
  return number;
}

int64_t ShortNumbers::TakeSigned(size_t& at) const {
  const uint64_t number = Take(at);
  return static_cast<int64_t>(number >> 1 ^ (0 - (number & 1)));
}

}  // namespace stepscope::goodput
