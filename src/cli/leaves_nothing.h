// Ends the process at SIGINT and SIGTERM without leaving unfinished files behind.
#pragma once

#include <csignal>
#include <thread>

namespace stepscope::cli {

// As long as it lives, a thread of its own waits for both signals, which all other threads block
// that start after it; then it removes what was not finished, and the signal ends the process.
class LeavesNothing {
 public:
  LeavesNothing();
  ~LeavesNothing();
  LeavesNothing(const LeavesNothing&) = delete;
  LeavesNothing& operator=(const LeavesNothing&) = delete;

 private:
  sigset_t signals_{}, before_{};
  std::jthread waits_;
};

}  // namespace stepscope::cli
