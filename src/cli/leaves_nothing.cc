// Waits for the signals in a thread, where any code may run, unlike in a signal handler.
#include "cli/leaves_nothing.h"

#include <stop_token>

#include "base/unfinished_files.h"

namespace stepscope::cli {
namespace {

constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 5'000'000};

[[noreturn]] void EndBy(int signal) {
  RemoveUnfinishedForGood();
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  std::signal(signal, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  std::_Exit(128 + signal);
}

}  // namespace

LeavesNothing::LeavesNothing() {
  struct sigaction was{};
  sigemptyset(&signals_);
  for (const int signal : {SIGINT, SIGTERM}) {
    // What was started to go on, as by nohup or in the background of a script, goes on.
    if (sigaction(signal, nullptr, &was) == 0 && was.sa_handler != SIG_IGN)
      sigaddset(&signals_, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  waits_ = std::jthread([signals = signals_](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (const int signal = sigtimedwait(&signals, nullptr, &kPause); signal > 0) EndBy(signal);
    }
  });
}

LeavesNothing::~LeavesNothing() {
  waits_.request_stop();
  waits_.join();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace stepscope::cli
