// Tells whether SIGINT or SIGTERM came, to end something early and in order.
#pragma once

#include <csignal>
#include <ctime>

namespace stepscope::cli {

// Blocks both signals as long as it lives, in this thread and in those that it starts.
class EndingSignals {
 public:
  EndingSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  // One that came twice, as from `timeout`, to the process and to its group, ends nothing else.
  ~EndingSignals() {
    const timespec none{};
    while (came_ && sigtimedwait(&signals_, nullptr, &none) > 0) continue;
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

  bool Came() {
    const timespec none{};
    came_ = came_ || sigtimedwait(&signals_, nullptr, &none) > 0;
    return came_;
  }

 private:
  sigset_t signals_{}, before_{};
  bool came_ = false;
};

}  // namespace stepscope::cli
