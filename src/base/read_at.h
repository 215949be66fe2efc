// Reads at a place of an open file.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stepscope {

// Fills `out` from `offset` on, and returns how many bytes there were: fewer at the end of the
// file. Empty, with errno, where it cannot be read.
inline std::optional<size_t> ReadAt(int fd, std::span<char> out, int64_t offset) {
  size_t got = 0;
  while (got < out.size()) {
    const ssize_t now = pread(fd, out.data() + got, out.size() - got,
                              static_cast<off_t>(offset + static_cast<int64_t>(got)));
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) return std::nullopt;
    if (now == 0) break;
    got += static_cast<size_t>(now);
  }
  return got;
}

}  // namespace stepscope
