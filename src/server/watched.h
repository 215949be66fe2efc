// Checks during long requests whether the client is still connected.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "server/refusal.h"

namespace stepscope::server {

// Interval of checks whether the client is still connected.
inline constexpr std::chrono::milliseconds kLookAfter{25};

// Calls `on_gone` once, from its own thread, when the client has disconnected; until it goes out of
// scope.
class Watched {
 public:
  Watched(Gone gone, std::function<void()> on_gone)
      : thread_([gone = std::move(gone), on_gone = std::move(on_gone)](std::stop_token ended) {
          std::mutex mutex;
          std::condition_variable_any wake;
          std::unique_lock lock(mutex);
          while (!wake.wait_for(lock, ended, kLookAfter, [&] { return ended.stop_requested(); })) {
            if (gone()) return on_gone();
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace stepscope::server
