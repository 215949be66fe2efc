// Writes and opens private files with POSIX calls.
#include "capture/common/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/file_writer.h"
#include "base/read_at.h"
#include "base/system_error.h"

namespace stepscope::capture {
namespace {

Result<void> WriteAll(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return std::unexpected(SystemError("cannot write the file", errno, path));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

Result<int64_t> WritePrivateFile(const std::string& path,
                                 const std::function<Result<void>(const Append&)>& fill) {
  const std::string partial = path + std::string(kPartialSuffix);
  const int file =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return std::unexpected(SystemError("cannot create the file", errno, path));
  int64_t size = 0;
  Result<void> done = fill([&](std::string_view bytes) {
    size += static_cast<int64_t>(bytes.size());
    return WriteAll(file, bytes, path);
  });
  if (done && fsync(file) != 0)
    done = std::unexpected(SystemError("cannot write the file", errno, path));
  close(file);
  if (done && rename(partial.c_str(), path.c_str()) != 0)
    done = std::unexpected(SystemError("cannot name the file", errno, path));
  if (done) return size;
  unlink(partial.c_str());
  return std::unexpected(done.error());
}

Result<GivenFile> GivenFile::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return std::unexpected(SystemError("cannot open the file", errno, path));
  struct stat facts{};
  if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
    return GivenFile(path, file, facts.st_size);
  close(file);
  return std::unexpected(Error{"it is not an ordinary file", path, ""});
}

GivenFile::GivenFile(GivenFile&& other) noexcept
    : path_(std::move(other.path_)), file_(std::exchange(other.file_, -1)), size_(other.size_) {}

GivenFile::~GivenFile() {
  if (file_ >= 0) close(file_);
}

Result<std::string> GivenFile::Read(int64_t from, size_t most) const {
  std::string bytes(std::min(most, static_cast<size_t>(std::max<int64_t>(0, size_ - from))), '\0');
  const auto got = ReadAt(file_, bytes, from);
  if (!got) return std::unexpected(SystemError("cannot read the file", errno, path_));
  bytes.resize(*got);
  return bytes;
}

}  // namespace stepscope::capture
