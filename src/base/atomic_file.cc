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

#include "base/sync_folder.h"
#include "base/write_all.h"

namespace stepscope {
namespace {

std::unexpected<Error> Failed(int error, const std::string& path) {
  return std::unexpected(
      Error{std::string("cannot write the file: ") + std::strerror(error), path,
            "check that the folder exists, may be written to and has space left"});
}

// Not every file system can; the file's own bytes are safe by now.
void TryToSyncFolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  [[maybe_unused]] const auto synced = SyncFolder(folder);
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
    TryToSyncFolderOf(target);
    return {};
  }
  if (done) error = errno;
  unlink(temporary.c_str());
  return Failed(error, path);
}

}  // namespace stepscope
