// Writing a file so that nobody ever sees half of it.
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace stepscope {
namespace {

std::unexpected<Error> Failed(int error, const std::string& path) {
  return std::unexpected(
      Error{std::string("cannot write the file: ") + std::strerror(error), path,
            "check that the folder exists, may be written to and has space left"});
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

void SyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);  // not every file system can; the file's own bytes are safe by now
  close(fd);
}

// A name for what this process was started with, though it may lead to an ordinary file.
bool IsStandardStream(std::string_view path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

// The file that a link leads to, or the path itself.
std::string BehindLinks(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real == nullptr ? path : std::string(real.get());
}

Result<void> WriteInPlace(const std::string& path, std::string_view bytes) {
  const int fd = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd < 0) return Failed(errno, path);
  const bool written = WriteAll(fd, bytes);
  const int error = errno;
  close(fd);
  if (!written) return Failed(error, path);
  return {};
}

}  // namespace

Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes) {
  struct stat status{};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && (!S_ISREG(status.st_mode) || IsStandardStream(path))) {
    return WriteInPlace(path, bytes);
  }
  const std::string target = exists ? BehindLinks(path) : path;
  std::string temporary = target + ".XXXXXX";
  const int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return Failed(errno, path);
  const mode_t mask = umask(0);
  umask(mask);
  const bool done = fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) == 0 &&
                    WriteAll(fd, bytes) && fsync(fd) == 0;
  int error = errno;
  const bool closed = close(fd) == 0;
  if (done && closed && std::rename(temporary.c_str(), target.c_str()) == 0) {
    SyncFolderOf(target);
    return {};
  }
  if (done) error = errno;
  unlink(temporary.c_str());
  return Failed(error, path);
}

}  // namespace stepscope
