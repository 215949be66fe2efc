// Writes POSIX files: O_TMPFILE or a temporary name, sync, rename.
#include "base/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/unfinished_files.h"

namespace stepscope {
namespace {

constexpr mode_t kNewFile = 0666;  // less the umask

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// A name for what this process was started with, though it may lead to an ordinary file.
bool IsStandardStream(std::string_view path) {
  return path.starts_with("/dev/") || path.starts_with("/proc/");
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

// Tries names beside `target` until `take` accepts one; empty, with errno, if it fails otherwise
// than for a name that is taken.
template <class Take>
std::string FreeName(const std::string& target, const Take& take) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string name = target + "." + std::to_string(getpid()) + "." + std::to_string(attempt);
    if (take(name)) return name;
    if (errno != EEXIST) break;
  }
  return "";
}

// False, with errno, if the system takes no more.
bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

FileWriter::FileWriter(std::string path, GzipCompressor* gzip, Temporary temporary)
    : path_(std::move(path)), gzip_(gzip), named_(temporary == Temporary::kNamed) {}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      gzip_(other.gzip_),
      named_(other.named_),
      sharing_(other.sharing_),
      in_place_(other.in_place_),
      member_(other.member_),
      raw_bytes_(other.raw_bytes_),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, "")),
      fd_(std::exchange(other.fd_, -1)) {}

FileWriter::~FileWriter() {
  if (fd_ >= 0) close(fd_);
  if (temporary_.empty()) return;
  unlink(temporary_.c_str());
  ForgetUnfinished(temporary_);
}

Result<void> FileWriter::Failed(int error) const {
  return std::unexpected(
      Error{std::string("cannot write the file: ") + std::strerror(error), path_,
            error == ENOSPC ? "free some space, or write less"
                            : "check that the directory exists, is writable and has space left"});
}

// In the folder of the target; where the system has no files without a name it gets one.
Result<void> FileWriter::OpenTemporary() {
  constexpr int kFlags = O_WRONLY | O_CLOEXEC;
  const mode_t mode = sharing_ ? FileMode(*sharing_) : kNewFile;
  if (named_) {
    temporary_ = target_ + std::string(kPartialSuffix);
    fd_ = CreateUnfinished(temporary_, kFlags | O_TRUNC, mode);
    if (fd_ < 0) temporary_.clear();
  } else {
    fd_ = open(FolderOf(target_).c_str(), kFlags | O_TMPFILE, mode);
    if (fd_ < 0) {
      temporary_ = FreeName(target_, [&](const std::string& name) {
        fd_ = open(name.c_str(), kFlags | O_CREAT | O_EXCL, mode);
        return fd_ >= 0;
      });
    }
  }
  return fd_ < 0 ? Failed(errno) : Result<void>();
}

Result<void> FileWriter::Create() {
  struct stat status{};
  const bool exists = stat(path_.c_str(), &status) == 0;
  in_place_ = exists && (!S_ISREG(status.st_mode) || IsStandardStream(path_));
  if (in_place_) {
    fd_ = open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd_ < 0) return Failed(errno);
  } else {
    target_ = BehindLinks(path_);
    if (auto opened = OpenTemporary(); !opened) return opened;
    if (sharing_ && !exists && fchmod(fd_, FileMode(*sharing_)) != 0) return Failed(errno);
    if (exists && fchmod(fd_, status.st_mode & 07777) != 0) return Failed(errno);
  }
  return Write(gzip_ != nullptr ? GzipMember::Header() : "");
}

Result<void> FileWriter::Append(std::string_view bytes) {
  raw_bytes_ += static_cast<int64_t>(bytes.size());
  return Write(gzip_ != nullptr ? member_.Add(bytes, *gzip_) : bytes);
}

Result<void> FileWriter::Finish() {
  return Write(gzip_ != nullptr ? member_.Trailer() : "", !in_place_);
}

Result<void> FileWriter::FinishUnsynced() {
  return Write(gzip_ != nullptr ? member_.Trailer() : "");
}

Result<void> FileWriter::Sync() {
  return in_place_ || fsync(fd_) == 0 ? Result<void>() : Failed(errno);
}

Result<void> FileWriter::Write(std::string_view bytes, bool sync) {
  if (fd_ < 0) fd_ = open(temporary_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd_ < 0 || !WriteAll(fd_, bytes) || (sync && fsync(fd_) != 0)) return Failed(errno);
  if (named_ && !in_place_ && close(std::exchange(fd_, -1)) != 0) return Failed(errno);
  return {};
}

// Gives a file without a name its own, or where that is taken one from which it is renamed.
bool FileWriter::GiveName() {
  const std::string itself = "/proc/self/fd/" + std::to_string(fd_);
  const auto link = [&](const std::string& name) {
    return linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  };
  if (link(target_)) return true;
  temporary_ = FreeName(target_, link);
  return !temporary_.empty();
}

Result<void> FileWriter::Commit() {
  if (!in_place_ && temporary_.empty() && !GiveName()) return Failed(errno);
  if (fd_ >= 0 && close(std::exchange(fd_, -1)) != 0) return Failed(errno);
  if (temporary_.empty()) return {};
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return Failed(errno);
  ForgetUnfinished(std::exchange(temporary_, ""));
  return {};
}

Result<void> FileWriter::CommitAndSync() {
  if (auto done = Commit(); !done) return done;
  if (in_place_) return {};
  // Not every file system can; the file's own bytes are safe by now.
  [[maybe_unused]] const auto synced = SyncFolder(FolderOf(target_));
  return {};
}

Result<void> WriteFile(const std::string& path, std::string_view bytes) {
  FileWriter file(path);
  auto done = file.Create();
  if (done) done = file.Append(bytes);
  if (done) done = file.Finish();
  if (done) done = file.CommitAndSync();
  return done;
}

Result<void> AppendToFile(const std::string& path, std::string_view bytes,
                          std::optional<Sharing> sharing) {
  constexpr int kFlags = O_WRONLY | O_APPEND;
  const int fd = sharing ? OpenCreating(path, kFlags, *sharing)
                         : open(path.c_str(), kFlags | O_CREAT | O_CLOEXEC, kNewFile);
  if (fd < 0) return std::unexpected(SystemError("cannot write the file", errno, path));
  const int failed = WriteAll(fd, bytes) ? 0 : errno;
  if (close(fd) != 0 || failed != 0) {
    return std::unexpected(
        SystemError("cannot write the file", failed != 0 ? failed : errno, path));
  }
  return {};
}

}  // namespace stepscope
