// Does what takes long outside of the interpreter's lock, so that other Python threads go on and
// Ctrl-C stops it.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "stepscope/session.h"

namespace stepscope::python {

// Calls work(stop) on a thread of its own and waits for its end without the interpreter's lock.
// Twenty times a second it takes the lock, lets Python run its signal handlers, as that of Ctrl-C,
// and calls `meanwhile`. Where one of these raises, `stop` is requested, and it is raised once the
// work has ended. REQUIRES: the interpreter's lock.
void Work(const std::function<void(std::stop_token)>& work,
          const std::function<void()>& meanwhile = {});

// The same for work that has a result.
template <class T>
T WorkFor(const std::function<T(std::stop_token)>& work,
          const std::function<void()>& meanwhile = {}) {
  std::optional<T> result;
  Work([&](std::stop_token stop) { result.emplace(work(std::move(stop))); }, meanwhile);
  return *std::move(result);
}

// Takes the progress of work on one thread, to be told on another.
class LatestProgress {
 public:
  void Set(const Progress& progress) {
    const std::lock_guard lock(mutex_);
    latest_ = progress;
  }
  // What came since the last call, if anything did.
  std::optional<Progress> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(latest_, std::nullopt);
  }

 private:
  std::mutex mutex_;
  std::optional<Progress> latest_;
};

// What Work() calls meanwhile, to tell of progress: on_progress(bytes done, bytes in all, files
// done, files in all), where it is not None. Both outlive the work.
std::function<void()> Telling(LatestProgress& latest, const nanobind::object& on_progress);

}  // namespace stepscope::python
