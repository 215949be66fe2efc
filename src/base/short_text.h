// Compares and loads texts of a few bytes, such as keys, numbers and names, without a call, which
// would cost more than the work.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace stepscope {

static_assert(std::endian::native == std::endian::little);

template <class T>
T LoadAs(const char* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

// The first eight bytes of `text`, its first the lowest; zeros where it ends before.
inline uint64_t LoadEight(std::string_view text) {
  const char* p = text.data();
  const size_t size = text.size();
  if (size >= 8) return LoadAs<uint64_t>(p);
  if (size >= 4) {  // two halves that may lie over one another
    const uint64_t last = LoadAs<uint32_t>(p + size - 4);
    return LoadAs<uint32_t>(p) | last << (8 * (size - 4));
  }
  if (size == 0) return 0;
  const auto byte = [&](size_t i) { return uint64_t{static_cast<unsigned char>(p[i])} << (8 * i); };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

// Whether both are the same; fastest where they are short.
inline bool SameText(std::string_view a, std::string_view b) {
  constexpr size_t kShort = 32;
  const size_t size = a.size();
  if (size != b.size()) return false;
  if (size > kShort) return std::memcmp(a.data(), b.data(), size) == 0;
  if (size <= 8) return LoadEight(a) == LoadEight(b);
  for (size_t i = 0; i + 8 < size; i += 8) {
    if (LoadAs<uint64_t>(a.data() + i) != LoadAs<uint64_t>(b.data() + i)) return false;
  }
  return LoadAs<uint64_t>(a.data() + size - 8) == LoadAs<uint64_t>(b.data() + size - 8);
}

}  // namespace stepscope
