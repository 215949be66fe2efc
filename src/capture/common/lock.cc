// Takes locks with flock(), and checks that their folder and files are private.
#include "capture/common/lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "base/system_error.h"
#include "base/time_units.h"

namespace stepscope::capture {
namespace {

constexpr int kTries = 10;  // while others remove the file

struct Record {
  int64_t until = 0;
  std::string why;
};

std::optional<Record> ReadRecord(int file) {
  std::array<char, 512> bytes{};
  const ssize_t got = pread(file, bytes.data(), bytes.size(), 0);
  if (got <= 0) return std::nullopt;
  const std::string_view text(bytes.data(), static_cast<size_t>(got));
  Record record;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), record.until);
  // A record that cannot be read is of a capture of which nothing is known.
  if (error != std::errc()) return Record{kWhileItLives, "its lock cannot be read"};
  record.why = Trimmed(text.substr(static_cast<size_t>(end - text.data())));
  return record;
}

std::unexpected<Error> Taken(const std::string& what) {
  return std::unexpected(
      Error{"another capture of this process is running", what, "wait until it has ended"});
}

std::unexpected<Error> NotOver(const std::string& what, const Record& record, int64_t now) {
  if (record.until == kWhileItLives) {
    return std::unexpected(
        Error{"an earlier capture may still run, as long as the process lives: " + record.why, what,
              "it can be captured again after a restart of its process"});
  }
  const int64_t seconds = (record.until - now) / kSecond + 1;
  return std::unexpected(
      Error{fmt::format("an earlier capture may still run, for {} s more: {}", seconds, record.why),
            what, fmt::format("try again in {} s", seconds)});
}

// Whether the file still has its name: another program may have removed it before we had the lock.
bool IsNamed(int file, const std::string& path) {
  struct stat ours{}, named{};
  return fstat(file, &ours) == 0 && lstat(path.c_str(), &named) == 0 &&
         ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

bool IsPrivateFile(int file) {
  struct stat facts{};
  return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_uid == geteuid() &&
         (facts.st_mode & 077) == 0 && facts.st_nlink <= 1;
}

}  // namespace

std::string LockKey(const Process& process) {
  return fmt::format("{}.{}.{}", BootId(), process.pid, process.start_ticks);
}

std::string LockKey(std::string_view address) {
  return fmt::format("address.{:016x}", XXH3_64bits(address.data(), address.size()));
}

std::string LockFolder() { return fmt::format("/tmp/stepscope-{}", geteuid()); }

Result<void> MakePrivateFolder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return std::unexpected(SystemError("cannot make the directory", errno, folder));
  }
  struct stat facts{};
  if (lstat(folder.c_str(), &facts) != 0) {
    return std::unexpected(SystemError("cannot read the directory", errno, folder));
  }
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != geteuid() || (facts.st_mode & 077) != 0) {
    return std::unexpected(Error{"the directory is not private to this user", folder,
                                 "look who made it, and remove it"});
  }
  return {};
}

Result<Lock> Lock::Take(const std::string& folder, const std::string& key, const std::string& what,
                        int64_t now) {
  if (auto made = MakePrivateFolder(folder); !made) return std::unexpected(made.error());
  const std::string path = folder + "/" + key + ".lock";
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0) return std::unexpected(SystemError("cannot lock", errno, path));
    Lock lock(path, file);
    lock.uncertain_ = true;  // until it is known that nothing is to be kept
    if (flock(file, LOCK_EX | LOCK_NB) != 0) return Taken(what);
    if (!IsNamed(file, path)) continue;
    if (!IsPrivateFile(file)) {
      return std::unexpected(Error{"the lock is not private to this user", path, "remove it"});
    }
    const auto record = ReadRecord(file);
    if (record && record->until > now) return NotOver(what, *record, now);
    lock.uncertain_ = false;
    return lock;
  }
  return Taken(what);
}

Lock::Lock(Lock&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      uncertain_(other.uncertain_) {}

Lock& Lock::operator=(Lock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(file_, other.file_);
  std::swap(uncertain_, other.uncertain_);
  return *this;
}

Lock::~Lock() {
  if (file_ < 0) return;
  if (!uncertain_) unlink(path_.c_str());
  close(file_);
}

Result<void> Lock::Uncertain(int64_t until, std::string_view why) {
  const std::string text = fmt::format("{} {}\n", until, why.substr(0, 400));
  uncertain_ = true;
  const bool written =
      ftruncate(file_, 0) == 0 &&
      pwrite(file_, text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()) &&
      fsync(file_) == 0;
  if (written) return {};
  return std::unexpected(SystemError("cannot write the lock", errno, path_));
}

void Lock::Over() { uncertain_ = false; }

}  // namespace stepscope::capture
