// Stops work before its end when its result is no longer needed.
//
//   const StopScope scope(token);   // what this thread does from here on may be stopped
//   try { ... } catch (const Stopped&) { ... }
//
// Long work calls StopIfAsked() now and then, at any depth: a stop ends everything on the thread's
// stack up to the scope. Without a scope nothing is ever stopped. A helping thread has no scope
// unless it opens its own, as those of ParallelFor() do with that of their caller.
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

namespace stepscope {

// Thrown by StopIfAsked(), and caught by who opened the scope.
struct Stopped {};

class StopScope {
 public:
  explicit StopScope(std::stop_token token) : token_(std::move(token)), outer_(current_) {
    current_ = &token_;
  }
  ~StopScope() { current_ = outer_; }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  friend void StopIfAsked();
  friend std::stop_token CurrentStopToken();

  std::stop_token token_;
  const std::stop_token* outer_;
  static inline thread_local const std::stop_token* current_ = nullptr;
};

// Between two calls there shall be no more than some 10 ms of work.
inline void StopIfAsked() {
  if (StopScope::current_ != nullptr && StopScope::current_->stop_requested()) throw Stopped();
}

// The token of this thread's scope, for the scope of a thread that helps it.
inline std::stop_token CurrentStopToken() {
  return StopScope::current_ == nullptr ? std::stop_token() : *StopScope::current_;
}

// StopIfAsked() in each 16384th of the turns of a loop, which costs nothing worth measuring.
class StopChecks {
 public:
  void Turn() {
    if (++turns_ % (1u << 14) == 0) StopIfAsked();
  }

 private:
  uint32_t turns_ = 0;
};

}  // namespace stepscope
