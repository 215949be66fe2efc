// Works, keeps the problem, and waits.
#include "goodput/live/background.h"

#include <exception>
#include <utility>

namespace stepscope::goodput {

Background::Background(Work work) : work_(std::move(work)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
}

std::string Background::problem() {
  const std::lock_guard lock(mutex_);
  return problem_;
}

void Background::Run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    const bool last = stop.stop_requested();
    lock.unlock();
    Round round = Once(last);
    lock.lock();
    problem_ = std::move(round.problem);
    if (last) return;
    wake_.wait_for(lock, stop, round.pause, [] { return false; });
  }
}

Background::Round Background::Once(bool last) {
  try {
    return work_(last);
  } catch (const std::exception& error) {  // out of memory: the next time may be better
    return {.problem = error.what(), .pause = std::chrono::seconds(1)};
  }
}

}  // namespace stepscope::goodput
