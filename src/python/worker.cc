// Hands calls from thread to thread.
#include "python/worker.h"

#include <unistd.h>

#include <utility>

namespace stepscope::python {
namespace {

thread_local Worker* worker_of_this_thread = nullptr;

}  // namespace

// Calls a function now and then while it waits, until that says once what stops the work.
class Worker::Look {
 public:
  Look(Worker& worker, const std::function<std::exception_ptr()>& look)
      : worker_(worker), look_(look) {}

  template <class Condition>
  void Until(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    while (!worker_.changed_.wait_for(lock, kLookForSignalsEvery, condition)) {
      if (found_) continue;
      lock.unlock();
      found_ = look_();
      if (found_) worker_.thread_.request_stop();
      lock.lock();
      if (!worker_.given_up_) worker_.given_up_ = found_;
    }
  }

 private:
  Worker& worker_;
  const std::function<std::exception_ptr()>& look_;
  std::exception_ptr found_;
};

Worker::Worker() : process_(getpid()) {}

std::shared_ptr<Worker> Worker::OfThisThread() {
  return worker_of_this_thread == nullptr ? nullptr : worker_of_this_thread->shared_from_this();
}

void Worker::Start(const Function& work) {
  thread_ = std::jthread([this, &work](std::stop_token stop) { Run(work, std::move(stop)); });
}

void Worker::Run(const Function& work, std::stop_token stop) {
  worker_of_this_thread = this;
  try {
    work(std::move(stop));
  } catch (...) {
    thrown_ = std::current_exception();
  }
  worker_of_this_thread = nullptr;
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

bool Worker::EndsWithin(std::chrono::milliseconds time) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, time, [&] { return ended_ || call_ != nullptr; });
  return ended_;
}

std::exception_ptr Worker::DoCall() {
  std::unique_lock lock(mutex_);
  if (call_ == nullptr) return nullptr;
  const Call& call = *call_;
  const uint64_t number = number_;
  lock.unlock();
  std::exception_ptr thrown;
  try {
    call(number);
  } catch (...) {
    thrown = std::current_exception();
  }
  if (!IsOfThisProcess()) return thrown;
  if (thrown) thread_.request_stop();  // before the work goes on
  lock.lock();
  closed_ = closed_ || thrown;
  call_ = nullptr;
  changed_.notify_all();
  return thrown;
}

void Worker::Stop() {
  thread_.request_stop();
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

std::exception_ptr Worker::given_up() const {
  const std::lock_guard lock(mutex_);
  return given_up_;
}

bool Worker::IsOfThisProcess() const { return process_ == getpid(); }

bool Worker::HandOver(const Call& call) {
  std::unique_lock lock(mutex_);
  if (closed_) return false;
  ++number_;
  call_ = &call;
  changed_.notify_all();
  while (call_ != nullptr && !closed_) {
    changed_.wait(lock, [&] { return call_ == nullptr || back_ != nullptr || closed_; });
    if (back_ != nullptr) DoBack(lock);
  }
  call_ = nullptr;
  return !closed_;
}

void Worker::DoBack(std::unique_lock<std::mutex>& lock) {
  Back& back = *back_;
  lock.unlock();
  try {
    back.work();
  } catch (...) {
    back.thrown = std::current_exception();
  }
  lock.lock();
  back.done = true;
  back_ = nullptr;
  changed_.notify_all();
}

bool Worker::HandBack(uint64_t number, const std::function<void()>& work,
                      const std::function<std::exception_ptr()>& look) {
  if (!IsOfThisProcess()) return false;
  Look meanwhile(*this, look);
  Back back{work};
  std::unique_lock lock(mutex_);
  meanwhile.Until(lock, [&] { return back_ == nullptr || !Does(number); });
  if (!Does(number)) return false;
  back_ = &back;
  changed_.notify_all();
  meanwhile.Until(lock, [&] { return back.done; });
  if (back.thrown) std::rethrow_exception(back.thrown);
  return true;
}

}  // namespace stepscope::python
