// Keeps two captures off one process, over all doors and all programs of this user.
//
// A lock is a file in a private folder, locked with flock(). A capture that may still run when its
// program has given up, or was killed, is written into the file before it begins: until it is
// surely over, nobody gets the lock. Two profilers in one PyTorch process end it.
// A program that profiles itself takes its own lock: python/stepscope/profiler/_lock.py has the
// same folder, names and record.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/common/process.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// For "uncertain until": as long as the process lives, which its key names.
inline constexpr int64_t kWhileItLives = INT64_MAX;

// Keys. That of a process is the same whatever door it is reached by.
std::string LockKey(const Process& process);
std::string LockKey(std::string_view address);  // of a server on another machine: "host:8466"

// /tmp/stepscope-UID: one place for all sessions of a user, wherever they were started.
std::string LockFolder();

// The folder, made with mode 0700 if missing. Fails if it is a link, of another user, or open to
// others.
Result<void> MakePrivateFolder(const std::string& folder);

class Lock {
 public:
  // Fails at once if another capture holds it, or one is not surely over at `now`. `what` names the
  // target for the error.
  static Result<Lock> Take(const std::string& folder, const std::string& key,
                           const std::string& what, int64_t now);
  Lock(Lock&& other) noexcept;
  Lock& operator=(Lock&& other) noexcept;
  ~Lock();  // keeps what was written by Uncertain(), else removes the file

  // From here on a capture may run in the target until then, whatever becomes of this program.
  // On disk when this returns.
  Result<void> Uncertain(int64_t until, std::string_view why);
  // It is over.
  void Over();

 private:
  Lock(std::string path, int file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  int file_ = -1;
  bool uncertain_ = false;
};

}  // namespace stepscope::capture
