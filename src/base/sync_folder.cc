// Opens a directory and syncs it.
#include "base/sync_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace stepscope {

namespace {

Result<void> SyncWith(int (*sync)(int), const std::string& folder) {
  const int file = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool good = file >= 0 && sync(file) == 0;
  const int reason = errno;
  if (file >= 0) close(file);
  if (good) return {};
  return std::unexpected(
      Error{std::string("cannot sync the directory: ") + std::strerror(reason), folder, ""});
}

}  // namespace

Result<void> SyncFolder(const std::string& folder) { return SyncWith(&fsync, folder); }

Result<void> SyncFileSystem(const std::string& folder) { return SyncWith(&syncfs, folder); }

}  // namespace stepscope
