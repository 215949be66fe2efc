// Lends threads beyond those of the callers, from a counter that all callers share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace stepscope {

// Reserves up to `most` of the spare threads and returns them when destroyed.
class SpareThreads {
 public:
  SpareThreads(std::atomic<int>& spare, uint64_t most) : spare_(spare) {
    int left = spare;
    while (left > 0 && count_ == 0) {
      const auto wanted = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(left), most));
      if (wanted == 0) return;
      if (spare.compare_exchange_weak(left, left - wanted)) count_ = wanted;
    }
  }
  ~SpareThreads() {
    if (count_ > 0) spare_ += count_;  // without threads, the shared counter is not written
  }
  SpareThreads(const SpareThreads&) = delete;
  SpareThreads& operator=(const SpareThreads&) = delete;

  uint64_t count() const { return static_cast<uint64_t>(count_); }

 private:
  std::atomic<int>& spare_;
  int count_ = 0;
};

}  // namespace stepscope
