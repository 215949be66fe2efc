// A loop over independent items, on as many threads as asked for.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace stepscope {

// Calls body(i) for every i in [0, count), each exactly once, on up to `threads` threads (0: one
// per processor), the caller's among them. Items are handed out in order. `body` must not throw.
template <class Body>
void ParallelFor(size_t count, size_t threads, const Body& body) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) body(i);
  };
  std::vector<std::jthread> helpers;
  for (size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(work);
  work();
}

}  // namespace stepscope
