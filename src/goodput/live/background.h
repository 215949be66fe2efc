// Repeats work in a thread of its own, so that what is slow or absent does not block the server.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace stepscope::goodput {

class Background {
 public:
  struct Round {
    std::string problem;               // empty: none
    std::chrono::nanoseconds pause{};  // until the next round
  };
  // `last`: it is to end after this round.
  using Work = std::function<Round(bool last)>;

  explicit Background(Work work);

  // The last problem; empty: none.
  std::string problem();

 private:
  void Run(const std::stop_token& stop);
  Round Once(bool last);

  Work work_;
  std::mutex mutex_;  // over problem_
  std::condition_variable_any wake_;
  std::string problem_;
  std::jthread thread_;  // the last member: ends before the others do
};

}  // namespace stepscope::goodput
