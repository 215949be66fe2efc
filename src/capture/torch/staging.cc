// Makes private folders and looks for traces in them.
#include "capture/torch/staging.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/system_error.h"
#include "base/time_units.h"

namespace stepscope::capture {
namespace {

namespace fs = std::filesystem;

std::string LinkText(const std::string& path) {
  std::array<char, 256> text{};
  const ssize_t size = readlink(path.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<size_t>(size)) : "";
}

// "/proc/PID/root" of a process with file systems of its own; else empty.
std::string RootOf(const Process& process) {
  const std::string theirs = LinkText(fmt::format("/proc/{}/ns/mnt", process.pid));
  const bool same = theirs.empty() || theirs == LinkText("/proc/self/ns/mnt");
  return same ? "" : fmt::format("/proc/{}/root", process.pid);
}

constexpr std::string_view kBegin = "stepscope-capture-";
constexpr int64_t kOld = 10 * kMinute;  // by then nobody writes to it any more

// Whether a folder of this name is of a capture that was killed.
bool IsLeft(const std::string& name) {
  if (!name.starts_with(kBegin)) return false;
  int64_t pid = 0, start = 0;
  const char* const end = name.data() + name.size();
  const auto [dash, bad] = std::from_chars(name.data() + kBegin.size(), end, pid);
  if (bad != std::errc() || dash == end || *dash != '-') return false;
  if (std::from_chars(dash + 1, end, start).ec != std::errc()) return false;
  return !IsAlive(pid, start);
}

// Removes what killed captures of this user left.
void Sweep(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat facts{};
    const std::string path = at->path().string();
    if (!IsLeft(at->path().filename().string()) || lstat(path.c_str(), &facts) != 0) continue;
    const bool old = std::time(nullptr) - facts.st_mtime > kOld / kSecond;
    std::error_code ignored;
    if (old && S_ISDIR(facts.st_mode) && facts.st_uid == geteuid()) fs::remove_all(path, ignored);
  }
}

}  // namespace

std::string TraceFolderOf(const Process& process) {
  std::string folder = process.Variable("KINETO_ONDEMAND_TRACE_DIR");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder.starts_with('/') && folder.size() > 1 ? folder : "/tmp";
}

Result<Staging> Staging::Make(const Process& process) {
  const std::string root = RootOf(process);
  Sweep(root + TraceFolderOf(process));
  const auto self = ReadProcess(getpid());
  std::string path = fmt::format("{}{}/{}{}-{}-XXXXXX", root, TraceFolderOf(process), kBegin,
                                 getpid(), self ? self->start_ticks : 0);
  if (mkdtemp(path.data()) == nullptr) {
    return std::unexpected(SystemError("cannot make a directory that the process writes to", errno,
                                       root + TraceFolderOf(process)));
  }
  return Staging(path.substr(root.size()), path);
}

Staging::Staging(Staging&& other) noexcept
    : inside_(std::move(other.inside_)),
      outside_(std::exchange(other.outside_, "")),
      kept_(other.kept_) {}

Staging::~Staging() {
  std::error_code ignored;
  if (!outside_.empty() && !kept_) fs::remove_all(outside_, ignored);
}

std::string Staging::Keep() {
  std::string kept = outside_;
  kept.replace(kept.rfind(kBegin), kBegin.size(), "stepscope-kept-");
  if (rename(outside_.c_str(), kept.c_str()) == 0) outside_ = kept;
  kept_ = true;
  return outside_;
}

Staged Staging::Look() const {
  Staged staged;
  std::error_code error;
  for (fs::directory_iterator at(outside_, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code gone;
    const auto size = static_cast<int64_t>(at->file_size(gone));
    if (gone) continue;
    if (name.ends_with(".tmp")) {
      staged.begun = true;
      staged.written += size;
    } else if (name.starts_with("trace") && name.ends_with(".json")) {
      staged.file = at->path().string();
    }
  }
  return staged;
}

int64_t Staging::Free() const {
  struct statvfs facts{};
  if (statvfs(outside_.c_str(), &facts) != 0) return -1;
  return static_cast<int64_t>(facts.f_bavail) * static_cast<int64_t>(facts.f_frsize);
}

bool IsWritten(const Process& process, const std::string& file, int64_t since) {
  const fs::path asked = fmt::format("/proc/{}/root{}", process.pid, file);
  const std::string begin = asked.stem().string() + "_", ending = asked.extension();
  bool written = false;
  std::error_code error;
  for (fs::directory_iterator at(asked.parent_path(), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    struct stat facts{};
    const bool own = name.starts_with(begin) && lstat(at->path().c_str(), &facts) == 0 &&
                     S_ISREG(facts.st_mode) && facts.st_mtim.tv_sec >= since / kSecond;
    if (own && name.ends_with(".tmp")) return false;
    written = written || (own && name.ends_with(ending));
  }
  return written;
}

}  // namespace stepscope::capture
