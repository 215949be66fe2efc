// Tells how many files this process may have open.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

namespace stepscope {

// The limit of the system (`ulimit -n`); of "unlimited", a million.
inline size_t OpenFilesLimit() {
  constexpr rlim_t kMost = 1'000'000;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  return static_cast<size_t>(std::min(limit.rlim_cur, kMost));
}

}  // namespace stepscope
