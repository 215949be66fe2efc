// Reports the progress of reading to a caller.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

#include "stepscope/session.h"

namespace stepscope {

// Calls `on_progress`, if there is one, ten times a second until it goes out of scope.
class ProgressTicker {
 public:
  // All must outlive the ticker but `totals`, of which the totals are taken.
  ProgressTicker(const std::function<void(const Progress&)>& on_progress, const Progress& totals,
                 const std::atomic<int64_t>& bytes, const std::atomic<int>& files) {
    if (!on_progress) return;
    thread_ = std::jthread([&on_progress, totals, &bytes, &files](const std::stop_token& stop) {
      try {
        Tell(on_progress, totals, bytes, files, stop);
      } catch (const std::exception&) {  // reading goes on, whether it can be told or not
      }
    });
  }

 private:
  static void Tell(const std::function<void(const Progress&)>& on_progress, Progress progress,
                   const std::atomic<int64_t>& bytes, const std::atomic<int>& files,
                   const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, std::chrono::milliseconds(100),
                          [&] { return stop.stop_requested(); })) {
      // What is read twice, as around damage, counts twice.
      progress.bytes_done = std::min<int64_t>(bytes, progress.bytes_total);
      progress.files_done = files;
      on_progress(progress);
    }
  }

  std::jthread thread_;
};

}  // namespace stepscope
