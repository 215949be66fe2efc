// Keeps the names under a lock, which the end of the process never gives back.
#include "base/unfinished_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <mutex>
#include <new>
#include <set>

namespace stepscope {
namespace {

struct Unfinished {
  std::mutex lock;
  std::set<std::string> paths;
};

// Never destroyed: threads may write while the process ends. Takes no memory of its own: it is
// asked first where there is none left, too.
Unfinished& All() {
  alignas(Unfinished) static std::byte room[sizeof(Unfinished)];
  static auto& all = *new (room) Unfinished;
  return all;
}

}  // namespace

int CreateUnfinished(const std::string& path, int flags, mode_t mode) {
  const std::scoped_lock locked(All().lock);
  const auto [at, is_new] = All().paths.insert(path);
  const int fd = open(path.c_str(), flags | O_CREAT, mode);
  if (fd < 0 && is_new) All().paths.erase(at);
  return fd;
}

void AddUnfinished(const std::string& path) {
  const std::scoped_lock locked(All().lock);
  All().paths.insert(path);
}

void ForgetUnfinished(const std::string& path) {
  const std::scoped_lock locked(All().lock);
  All().paths.erase(path);
}

void RemoveUnfinishedForGood() {
  All().lock.lock();
  for (const std::string& path : All().paths) unlink(path.c_str());
}

}  // namespace stepscope
