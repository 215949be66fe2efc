// Holds files without names, and syncs them by syncfs where that is as good as fsync of each.
#include "base/file_batch.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace stepscope {
namespace {

constexpr size_t kMostFiles = 256;
constexpr size_t kMostBytes = size_t{64} << 20;  // unwritten bytes are memory
constexpr size_t kFewFiles = 4;  // below, syncfs would only wait for what others wrote

// The magic numbers of statfs(2): ext, XFS, Btrfs, F2FS, tmpfs.
constexpr auto kLocal =
    std::to_array<unsigned long>({0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x01021994});

// syncfs returns errors of writing since Linux 5.8.
bool TellsErrors() {
  utsname system{};
  int major = 0, minor = 0;
  if (uname(&system) != 0) return false;
  if (std::sscanf(system.release, "%d.%d", &major, &minor) != 2) return false;
  return major > 5 || (major == 5 && minor >= 8);
}

// Whether syncfs puts all of it on disk: FUSE does nothing, and others are not known to.
bool SyncsWhole(int folder) {
  struct statfs state{};
  if (fstatfs(folder, &state) != 0) return false;
  const auto type = static_cast<unsigned long>(state.f_type);
  static const bool tells_errors = TellsErrors();
  return tells_errors && std::ranges::find(kLocal, type) != kLocal.end();
}

// Leaves most descriptors to others, who may not tell a lack of them from a damaged file.
size_t MostFiles() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  return std::clamp<size_t>(limit.rlim_cur / 4, 1, kMostFiles);
}

}  // namespace

FileBatch::~FileBatch() {
  if (folder_file_ >= 0) close(folder_file_);
}

Result<void> FileBatch::Hold(const std::string& path, std::string_view bytes) {
  if (files_.empty() && folder_file_ < 0) {
    folder_file_ = open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  FileWriter file(path, sharing_);
  auto held = file.Create();
  if (held) held = file.Append(bytes);
  if (held) held = file.FinishUnsynced();
  if (!held) return held;
  files_.push_back(std::move(file));
  bytes_ += bytes.size();
  in_folder_ = in_folder_ && path.rfind('/') == folder_.size();
  return {};
}

Result<void> FileBatch::Add(const std::string& path, std::string_view bytes) {
  auto held = Hold(path, bytes);
  // Held files may be what takes the last descriptor.
  if (!held && !files_.empty()) {
    if (auto done = Commit(); !done) return done;
    held = Hold(path, bytes);
  }
  if (!held) return held;
  return files_.size() < MostFiles() && bytes_ < kMostBytes ? held : Commit();
}

Result<void> FileBatch::SyncAll() {
  const bool together = files_.size() >= kFewFiles && in_folder_ && folder_file_ >= 0;
  if (together && SyncsWhole(folder_file_) && syncfs(folder_file_) == 0) return {};
  for (FileWriter& file : files_) {
    if (auto synced = file.Sync(); !synced) return synced;
  }
  return {};
}

Result<void> FileBatch::Commit() {
  auto done = SyncAll();
  for (FileWriter& file : files_) {
    if (done) done = file.Commit();
  }
  files_.clear();
  bytes_ = 0;
  in_folder_ = true;
  return done;
}

}  // namespace stepscope
