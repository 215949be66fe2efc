// Runs a loop over independent items on a given number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/stop.h"

namespace stepscope {

// How many threads somebody asks for: one per processor where that is no number above 0.
inline size_t ThreadsFor(int asked) {
  return asked > 0 ? static_cast<size_t>(asked) : std::max(1u, std::thread::hardware_concurrency());
}

// Calls body(i) for every i in [0, count), each exactly once, on up to `threads` threads (0: one
// per processor), the caller's among them; on fewer where the system has no more. Items are handed
// out in order. What stops the caller stops them all. Once one throws no other is begun, and the
// first exception is thrown on when all have ended.
template <class Body>
void ParallelFor(size_t count, size_t threads, const Body& body) {
  if (threads == 0) threads = ThreadsFor(0);
  std::atomic<size_t> next = 0;
  std::mutex mutex;  // over `thrown`
  std::exception_ptr thrown;
  const auto work = [&, stop = CurrentStopToken()] {
    const StopScope scope(stop);
    try {
      for (size_t i = next++; i < count; i = next++) body(i);
    } catch (...) {
      next = count;
      const std::lock_guard lock(mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto start_one = [&] {
      try {
        helpers.emplace_back(work);
        return true;
      } catch (const std::system_error&) {
        return false;  // those there are do the work
      }
    };
    while (helpers.size() + 1 < std::min(threads, count) && start_one()) continue;
    work();
  }
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace stepscope
