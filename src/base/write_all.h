// All bytes to a file, however many calls that takes.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace stepscope {

// False, with errno, if the system takes no more.
inline bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace stepscope
