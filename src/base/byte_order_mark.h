// Passes over the mark that editors and PowerShell put before UTF-8.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "base/byte_source.h"

namespace stepscope {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline std::string_view WithoutByteOrderMark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// How many bytes it took. REQUIRES: nothing was read yet.
inline size_t SkipByteOrderMark(ByteSource& source) {
  std::array<char, kByteOrderMark.size()> mark{};
  return source.Peek(mark.size()) == kByteOrderMark ? source.Read(mark) : 0;
}

}  // namespace stepscope
