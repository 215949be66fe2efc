// Does what takes long outside of the interpreter's lock, so that other Python threads go on and
// Ctrl-C stops it.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "stepscope/session.h"

namespace stepscope::python {

// Calls work(stop) on a thread of its own and waits for its end without the interpreter's lock.
// Meanwhile it does what the work hands over by OnAskingThread(), which stops the work where it
// raises. Twenty times a second it takes the lock, lets Python run its signal handlers, as that of
// Ctrl-C, and calls `meanwhile`. Where one of these raises, `stop` is requested, and it is raised
// once the work has ended. REQUIRES: the interpreter's lock.
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

class Worker;

// From a call on the thread that asked to the one that works.
class WayBack {
 public:
  // No other thread works.
  WayBack() = default;
  WayBack(std::shared_ptr<Worker> worker, uint64_t number)
      : worker_(std::move(worker)), number_(number) {}

  // Whether the thread that asked does the call, in Work().
  bool from_asking_thread() const { return worker_ != nullptr; }
  // Has the thread that works do it, and waits as Work() does. Raises UseError where the call has
  // ended, and in a process that was forked since. From any thread. REQUIRES: the interpreter's
  // lock.
  void Do(const std::function<void()>& work) const;

 private:
  std::shared_ptr<Worker> worker_;
  uint64_t number_ = 0;
};

// Has the thread that waits for this one in Work() do `call`, where Python hears signals, and
// waits. What it throws is raised there, and false is returned here: then the work shall end soon.
// A thread that no Work() waits for does it itself. REQUIRES: not the interpreter's lock.
bool OnAskingThread(const std::function<void(const WayBack&)>& call);

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
