// Reads the ends at their places.
#include "base/hash_of_ends.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stepscope {
namespace {

constexpr size_t kSeen = 65536;

// How many of these bytes there are; -1: it cannot be read.
ssize_t ReadAt(int fd, off_t at, std::span<char> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count =
        pread(fd, bytes.data() + done, bytes.size() - done, at + static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

std::string HashOfEnds(int fd) {
  struct stat about{};
  if (fstat(fd, &about) != 0) return "";
  std::string seen(2 * kSeen, '\0');
  const auto first = ReadAt(fd, 0, std::span(seen).first(kSeen));
  if (first < 0) return "";
  const auto from = std::max<off_t>(0, about.st_size - static_cast<off_t>(kSeen));
  const auto last = ReadAt(fd, from, std::span(seen).subspan(static_cast<size_t>(first), kSeen));
  if (last < 0) return "";
  const uint64_t hash = XXH3_64bits(seen.data(), static_cast<size_t>(first + last));
  return fmt::format("{:016x}", hash);
}

}  // namespace stepscope
