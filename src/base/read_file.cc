// Reads a file in pieces, so that its size may change meanwhile.
#include "base/read_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_error.h"

namespace stepscope {

Result<std::optional<std::string>> ReadFileIfThere(const std::string& path) {
  constexpr size_t kPart = size_t{1} << 16;
  const auto fail = [&](int number) {
    return std::unexpected(SystemError("cannot read the file", number, path));
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0 && errno == ENOENT) return std::nullopt;
  if (file < 0) return fail(errno);
  std::string bytes;
  while (true) {
    const size_t before = bytes.size();
    bytes.resize(before + kPart);
    const ssize_t got = read(file, bytes.data() + before, kPart);
    const int number = errno;
    bytes.resize(before + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0 && number == EINTR) continue;
    if (got > 0) continue;
    close(file);
    if (got < 0) return fail(number);
    return bytes;
  }
}

}  // namespace stepscope
