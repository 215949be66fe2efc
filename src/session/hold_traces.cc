// Looks at files through their descriptors: a path that leads elsewhere a moment later changes
// nothing.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/hash_of_ends.h"
#include "base/read_at.h"
#include "base/shell_word.h"
#include "base/system_error.h"
#include "stepscope/rank_trace.h"

namespace stepscope {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 64;

// A file that is open, with what it was when it was looked at.
struct HeldFile {
  HeldFile(int opened, const struct stat& seen) : fd(opened), about(seen) {}
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  ~HeldFile() { close(fd); }

  int fd;
  struct stat about;
};
using HeldFileRef = std::shared_ptr<const HeldFile>;
using HeldFiles = std::map<std::string, HeldFileRef, std::less<>>;  // by path

// As StoredItem::written of a file.
int64_t WrittenOf(const struct stat& about) {
  using std::chrono::nanoseconds, std::chrono::seconds;
  const auto since = seconds(about.st_mtim.tv_sec) + nanoseconds(about.st_mtim.tv_nsec);
  return fs::file_time_type::clock::from_sys(std::chrono::sys_time<nanoseconds>(since))
      .time_since_epoch()
      .count();
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

Error Gone(const std::string& path) {
  return {"the trace is not there any more", path,
          "if it was moved, open it where it is now: stepscope serve PATH"};
}

Error Changed(const std::string& path) {
  return {"the trace was changed after it was mapped", path,
          "map it again, or open it as it is: stepscope serve " + ShellWord(path)};
}

Error NoFile(const std::string& path) { return {"the path leads to no ordinary file", path, ""}; }

Error Elsewhere(const std::string& path) {
  return {"the trace lies outside the directories that are allowed", path,
          "start the server with this directory among `trace_folders`: " +
              ShellWord(fs::path(path).parent_path().string())};
}

// Nothing is opened before it is known to be an ordinary file: opening a device may do something.
Result<HeldFileRef> OpenFile(const std::string& path) {
  struct stat about{};
  if (stat(path.c_str(), &about) != 0)
    return std::unexpected(errno == ENOENT || errno == ENOTDIR
                               ? Gone(path)
                               : SystemError("cannot read the trace", errno, path));
  if (!S_ISREG(about.st_mode)) return std::unexpected(NoFile(path));
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return std::unexpected(SystemError("cannot read the trace", errno, path));
  struct stat opened{};
  const bool known = fstat(fd, &opened) == 0;
  auto held = std::make_shared<const HeldFile>(fd, opened);
  if (!known || !S_ISREG(opened.st_mode)) return std::unexpected(NoFile(path));
  return held;
}

bool IsBelow(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// By the path alone, which asks nothing of what it leads to.
bool IsNamedBelow(const std::string& path, const std::vector<std::string>& folders) {
  const auto named = fs::path(path).lexically_normal();
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    std::error_code error, none;
    fs::path given = fs::absolute(folder, error).lexically_normal();
    if (!given.has_filename()) given = given.parent_path();
    const fs::path real = fs::canonical(folder, none);
    return (!error && IsBelow(named, given)) || (!none && IsBelow(named, real));
  });
}

// Whether the file has a name below one of the folders. Links count as what they lead to.
bool LiesBelow(const std::string& path, const HeldFile& file,
               const std::vector<std::string>& folders) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  struct stat about{};
  if (error || stat(real.c_str(), &about) != 0 || !SameFile(about, file.about)) return false;
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    std::error_code none;
    const fs::path root = fs::canonical(folder, none);
    return !none && IsBelow(real, root);
  });
}

Result<HeldFileRef> Hold(const RankTrace& trace, const std::vector<std::string>& folders) {
  const std::string& path = trace.path;
  if (!path.starts_with('/'))
    return std::unexpected(Error{"the trace lies in a storage", path,
                                 "open it by itself: stepscope serve " + ShellWord(path)});
  // Before anything is said of it: whether a file is there is nobody's business, either.
  if (!folders.empty() && !IsNamedBelow(path, folders)) return std::unexpected(Elsewhere(path));
  auto file = OpenFile(path);
  if (!file) return file;
  if (!folders.empty() && !LiesBelow(path, **file, folders))
    return std::unexpected(Elsewhere(path));
  const bool same = (*file)->about.st_size == trace.bytes &&
                    WrittenOf((*file)->about) == trace.written && !trace.ends.empty() &&
                    HashOfEnds((*file)->fd) == trace.ends;
  if (!same) return std::unexpected(Changed(path));
  return file;
}

StoredItem ItemOf(const std::string& path, const HeldFile& file) {
  return {.path = path,
          .kind = StoredItem::Kind::kFile,
          .bytes = file.about.st_size,
          .written = WrittenOf(file.about)};
}

// These bytes of the file; fewer at its end. Fails where it has been written to since.
Result<std::string> ReadPart(const std::string& path, const HeldFile& file, uint64_t offset,
                             size_t size) {
  std::string bytes(size, '\0');
  const auto read = ReadAt(file.fd, bytes, static_cast<int64_t>(offset));
  if (!read) return std::unexpected(SystemError("cannot read the trace", errno, path));
  bytes.resize(*read);
  struct stat now{};
  const bool same = fstat(file.fd, &now) == 0 && now.st_size == file.about.st_size &&
                    WrittenOf(now) == WrittenOf(file.about);
  if (!same) return std::unexpected(Changed(path));
  return bytes;
}

StorageRef StorageOf(HeldFiles held) {
  const auto files = std::make_shared<const HeldFiles>(std::move(held));
  return std::make_shared<const Storage>(
      Storage{.holds = [](std::string_view) { return true; },
              .find =
                  [files](const std::string& path, const Storage::Done<StoredItem>& done) {
                    const auto at = files->find(path);
                    done(at == files->end() ? StoredItem{.path = path} : ItemOf(path, *at->second));
                  },
              .list = [](const std::string&,
                         const Storage::Done<std::vector<StoredItem>>& done) { done({}); },
              .read =
                  [files](const std::string& path, uint64_t offset, size_t size,
                          const Storage::Done<std::string>& done) {
                    const auto at = files->find(path);
                    done(at == files->end() ? std::unexpected(Gone(path))
                                            : ReadPart(path, *at->second, offset, size));
                  }});
}

}  // namespace

Result<HeldTraces> HoldTraces(std::span<const RankTrace> traces,
                              const std::vector<std::string>& folders) {
  HeldFiles files;
  HeldTraces held;
  for (const RankTrace& trace : traces) {
    if (files.contains(trace.path)) continue;
    if (files.size() == kMostFiles)
      return std::unexpected(Error{fmt::format("the rank has more than {} traces", kMostFiles),
                                   trace.path, "open those in question: stepscope serve PATH..."});
    auto file = Hold(trace, folders);
    if (!file) return std::unexpected(file.error());
    files.emplace(trace.path, *std::move(file));
    held.paths.push_back(trace.path);
  }
  if (files.empty())
    return std::unexpected(Error{"the partials do not say which trace they were made of", "",
                                 "map the traces again, or open the trace by itself"});
  held.storage = StorageOf(std::move(files));
  return held;
}

}  // namespace stepscope
