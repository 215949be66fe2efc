// Creates with the owner's bits first, so that a file is at no moment open to more than it should.
#include "base/sharing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/system_error.h"

namespace stepscope {
namespace {

constexpr mode_t kOwnFile = 0600, kGroupFile = 0640, kOwnFolder = 0700, kGroupFolder = 0750;

std::unexpected<Error> CannotCreate(const std::string& path, int number) {
  return std::unexpected(SystemError("cannot create the directory", number, path));
}

}  // namespace

mode_t FileMode(Sharing sharing) { return sharing == Sharing::kGroup ? kGroupFile : kOwnFile; }

int OpenCreating(const std::string& path, int flags, Sharing sharing) {
  const int file = open(path.c_str(), flags | O_CREAT | O_EXCL | O_CLOEXEC, kOwnFile);
  if (file >= 0) {
    if (sharing == Sharing::kGroup) fchmod(file, kGroupFile);
    return file;
  }
  if (errno != EEXIST || (flags & O_EXCL) != 0) return -1;
  return open(path.c_str(), flags | O_CLOEXEC);
}

Result<void> MakeFolder(const std::string& path, Sharing sharing) {
  namespace fs = std::filesystem;
  std::error_code failed;
  fs::path folder = fs::path(path).lexically_normal();
  if (!folder.has_filename() && folder.has_parent_path()) folder = folder.parent_path();
  if (fs::is_directory(folder, failed)) return {};
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), failed);
  if (mkdir(folder.c_str(), kOwnFolder) != 0) {
    const int number = errno;
    // Another process may have made it meanwhile.
    return fs::is_directory(folder, failed) ? Result<void>() : CannotCreate(path, number);
  }
  if (sharing == Sharing::kGroup && chmod(folder.c_str(), kGroupFolder) != 0) {
    return CannotCreate(path, errno);
  }
  return {};
}

}  // namespace stepscope
