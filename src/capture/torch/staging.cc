// Makes private folders and looks for traces in them.
#include "capture/torch/staging.h"

#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/system_error.h"

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

}  // namespace

std::string TraceFolderOf(const Process& process) {
  std::string folder = process.Variable("KINETO_ONDEMAND_TRACE_DIR");
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  return folder.starts_with('/') && folder.size() > 1 ? folder : "/tmp";
}

Result<Staging> Staging::Make(const Process& process) {
  const std::string root = RootOf(process);
  std::string path = root + TraceFolderOf(process) + "/stepscope-XXXXXX";
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

}  // namespace stepscope::capture
