// Writing a file so that nobody ever sees half of it.
#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "base/sync_folder.h"
#include "base/write_all.h"

namespace stepscope {
namespace {

std::unexpected<Error> Failed(int error, const std::string& path) {
  return std::unexpected(
      Error{std::string("cannot write the file: ") + std::strerror(error), path,
            "check that the folder exists, may be written to and has space left"});
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Not every file system can; the file's own bytes are safe by now.
void TryToSyncFolderOf(const std::string& path) {
  [[maybe_unused]] const auto synced = SyncFolder(FolderOf(path));
}

// A name for what this process was started with, though it may lead to an ordinary file.
bool IsStandardStream(std::string_view path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
}

// A file in the folder of `target` that has no name while it is written, so that nothing is left
// of it if we are ended meanwhile; where the system cannot do that it has one.
int OpenNameless(const std::string& target, std::string& temporary) {
  const int fd = open(FolderOf(target).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
  temporary = target + ".XXXXXX";
  return mkostemp(temporary.data(), O_CLOEXEC);
}

// The name from which it is renamed, if it has none yet.
bool GiveName(int fd, const std::string& target, std::string& temporary) {
  if (!temporary.empty()) return true;
  const std::string itself = "/proc/self/fd/" + std::to_string(fd);
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = target + "." + std::to_string(getpid()) + "." + std::to_string(attempt);
    if (linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      temporary = std::move(name);
      return true;
    }
    if (errno != EEXIST) return false;
  }
  return false;
}

// The file that a link leads to, though it may not be there yet; else the path itself.
std::string BehindLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the system follows
  std::error_code error;
  std::filesystem::path at = path;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(at, error); ++i) {
    at = at.parent_path() / std::filesystem::read_symlink(at, error);
  }
  return at.string();
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
  const std::string target = BehindLinks(path);
  std::string temporary;
  const int fd = OpenNameless(target, temporary);
  if (fd < 0) return Failed(errno, path);
  const mode_t mask = umask(0);
  umask(mask);
  const bool done = fchmod(fd, exists ? status.st_mode & 07777 : 0666 & ~mask) == 0 &&
                    WriteAll(fd, bytes) && fsync(fd) == 0 && GiveName(fd, target, temporary);
  int error = errno;
  const bool closed = close(fd) == 0;
  if (done && closed && std::rename(temporary.c_str(), target.c_str()) == 0) {
    TryToSyncFolderOf(target);
    return {};
  }
  if (done) error = errno;
  if (!temporary.empty()) unlink(temporary.c_str());
  return Failed(error, path);
}

}  // namespace stepscope
