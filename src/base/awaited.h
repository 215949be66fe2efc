// Waits for an answer that comes from another thread, as long as it is wanted.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace stepscope {

// An answer that may come after those who wait for it have gone: both sides hold it.
template <class T>
class Awaited {
 public:
  // Of several answers the first counts.
  void Set(T answer) {
    const std::lock_guard lock(mutex_);
    if (!answer_) answer_.emplace(std::move(answer));
    came_.notify_all();
  }

  // The answer, once it is there; null when `stop` is requested before.
  const T* Wait(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!came_.wait(lock, stop, [&] { return answer_.has_value(); })) return nullptr;
    return &*answer_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any came_;
  std::optional<T> answer_;
};

}  // namespace stepscope
