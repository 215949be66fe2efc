// Waits for work, and for signals meanwhile.
#include "python/work.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <thread>

namespace stepscope::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kLookEvery{50};

// Work on a thread, and whether it has ended.
class Worker {
 public:
  explicit Worker(const std::function<void(std::stop_token)>& work)
      : thread_([this, &work](std::stop_token stop) { Run(work, std::move(stop)); }) {}

  bool EndsWithin(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_changed_.wait_for(lock, time, [&] { return ended_; });
  }
  // Asks it to stop, and waits.
  void Stop() {
    thread_.request_stop();
    thread_.join();
  }
  // What it threw. REQUIRES: it has ended.
  const std::exception_ptr& thrown() const { return thrown_; }

 private:
  void Run(const std::function<void(std::stop_token)>& work, std::stop_token stop) {
    try {
      work(std::move(stop));
    } catch (...) {
      thrown_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    ended_changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;
  std::exception_ptr thrown_;
  std::jthread thread_;  // last: it uses the others
};

// What Python raised, if it did.
std::exception_ptr Look(const std::function<void()>& meanwhile) {
  const nb::gil_scoped_acquire locked;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (meanwhile) meanwhile();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

std::function<void()> Telling(LatestProgress& latest, const nb::object& on_progress) {
  return [&latest, &on_progress] {
    const auto progress = latest.Take();
    if (!progress || on_progress.is_none()) return;
    on_progress(progress->bytes_done, progress->bytes_total, progress->files_done,
                progress->files_total);
  };
}

void Work(const std::function<void(std::stop_token)>& work,
          const std::function<void()>& meanwhile) {
  std::exception_ptr raised;
  {
    const nb::gil_scoped_release unlocked;
    Worker worker(work);
    while (!raised && !worker.EndsWithin(kLookEvery)) raised = Look(meanwhile);
    worker.Stop();
    if (!raised) raised = worker.thrown();
  }
  if (raised) std::rethrow_exception(raised);
}

}  // namespace stepscope::python
