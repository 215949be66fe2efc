// Implements the file: written through a descriptor, read through a mapping.
#include "capture/grpc/profile_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/sync_folder.h"
#include "base/system_error.h"

namespace stepscope::capture {
namespace {

constexpr mode_t kOwnerOnly = 0600;

}  // namespace

Result<ProfileFile> ProfileFile::Make(std::string path, int64_t most) {
  const std::filesystem::path whole(path);
  // A name that begins with a dot is no trace to whoever looks into the folder meanwhile.
  std::string partial = whole.parent_path() / ("." + whole.filename().string() + ".partial");
  const int file =
      open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly);
  if (file < 0) return std::unexpected(SystemError("cannot write the profile", errno, partial));
  return ProfileFile(std::move(path), std::move(partial), file, most);
}

ProfileFile::ProfileFile(ProfileFile&& other) noexcept
    : path_(std::move(other.path_)),
      partial_(std::move(other.partial_)),
      file_(std::exchange(other.file_, -1)),
      most_(other.most_),
      size_(other.size_),
      problem_(std::move(other.problem_)) {}

ProfileFile::~ProfileFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(partial_.c_str());
}

bool ProfileFile::Append(std::string_view bytes) {
  if (problem_) return false;
  if (static_cast<int64_t>(bytes.size()) > most_ - size_) {
    problem_ = Error{"the profile is larger than the limit for captures", path_,
                     "allow more bytes, or capture less time"};
    return false;
  }
  while (!bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      problem_ = SystemError("cannot write the profile", errno, path_);
      return false;
    }
    size_ += written;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

bool ProfileFile::Clear() {
  problem_.reset();
  size_ = 0;
  return ftruncate(file_, 0) == 0 && lseek(file_, 0, SEEK_SET) == 0;
}

Result<void> ProfileFile::Keep() {
  if (problem_) return std::unexpected(*problem_);
  if (fsync(file_) != 0 || rename(partial_.c_str(), path_.c_str()) != 0)
    return std::unexpected(SystemError("cannot write the profile", errno, path_));
  close(std::exchange(file_, -1));
  return SyncFolder(std::filesystem::path(path_).parent_path());
}

Result<ProfileFacts> ReadProfileFacts(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) {
    const int number = errno;
    if (file >= 0) close(file);
    return std::unexpected(SystemError("cannot read the profile", number, path));
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    close(file);
    return ProfileFacts{.readable = true};
  }
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (bytes == MAP_FAILED)
    return std::unexpected(SystemError("cannot read the profile", errno, path));
  ProfileFacts facts = ReadProfileFacts(std::string_view(static_cast<const char*>(bytes), size));
  munmap(bytes, size);
  return facts;
}

}  // namespace stepscope::capture
