// A thread that works for one that waits for it. Each can have the other do something meanwhile.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>

namespace stepscope::python {

// How often a thread that waits looks for signals.
inline constexpr std::chrono::milliseconds kLookForSignalsEvery{50};

// Python runs handlers of signals on its main thread only, which usually is the one that waits. So
// the work hands it the calls of Python functions; what these ask the core, they hand back to the
// thread that works, and the other one goes on to look for signals. Of all functions here none is
// called with the interpreter's lock.
class Worker : public std::enable_shared_from_this<Worker> {
 public:
  using Function = std::function<void(std::stop_token)>;
  using Call = std::function<void(uint64_t number)>;

  Worker();
  // The one whose work this thread does; null on any other thread.
  static std::shared_ptr<Worker> OfThisThread();

  // Begins to work, once. `work` lives until Stop().
  void Start(const Function& work);
  // Waits; whether the work has ended. Returns early where a call was handed over.
  bool EndsWithin(std::chrono::milliseconds time);
  // Does the call that was handed over, if one was. Returns what it threw, which stops the work.
  std::exception_ptr DoCall();
  // Asks it to stop, and waits for its end. No call is done any more.
  void Stop();
  // What `look` of a HandBack() returned, if it stopped the work.
  std::exception_ptr given_up() const;
  // What the work threw. REQUIRES: it has ended.
  const std::exception_ptr& thrown() const { return thrown_; }
  // A forked process has a copy without its thread, which is neither waited for nor destroyed.
  bool IsOfThisProcess() const;

  // In the work: has the thread that waits for it do `call`, and waits for that. False where the
  // work is being stopped: then it may not have been done, or not to its end.
  bool HandOver(const Call& call);
  // In the call of this number, on any thread: has the thread that works do `work`, and waits for
  // that. Meanwhile it calls `look` twenty times a second; what that returns stops the work.
  // False where the call has ended, or the process was forked: `work` was not done. Throws what it
  // throws.
  bool HandBack(uint64_t number, const std::function<void()>& work,
                const std::function<std::exception_ptr()>& look);

 private:
  class Look;
  struct Back {
    const std::function<void()>& work;
    bool done = false;
    std::exception_ptr thrown = nullptr;
  };

  void Run(const Function& work, std::stop_token stop);
  void DoBack(std::unique_lock<std::mutex>& lock);
  // Whether the call of this number is still being done.
  bool Does(uint64_t number) const { return call_ != nullptr && number_ == number; }

  pid_t process_;
  mutable std::mutex mutex_;  // of all below but the thread
  std::condition_variable changed_;
  bool ended_ = false;
  bool closed_ = false;         // no call is done any more
  const Call* call_ = nullptr;  // handed over, until it was done
  uint64_t number_ = 0;         // of that call; the first is 1
  Back* back_ = nullptr;        // handed back, until it was done
  std::exception_ptr given_up_;
  std::exception_ptr thrown_;
  std::jthread thread_;
};

}  // namespace stepscope::python
