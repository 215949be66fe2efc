// What the thread that sends events to a database, and those that take events, tell each other.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "goodput/recorder/segment_name.h"
#include "goodput/recorder/segment_numbers.h"

namespace stepscope::goodput {

// What the database lacks of what was stored.
struct DatabaseState {
  std::optional<int64_t> confirmed;  // when it took all last, ns since 1970
  int64_t lag = 0;                   // ns since then, or since the start
  int64_t events = 0;                // that were stored since, or since the start
};

class DatabaseLink {
 public:
  using Numbers = std::shared_ptr<const NumbersByWriter>;

  // --- By the thread that sends.

  // What the database has beyond the directory. Null: it is not known, and nobody is to wait for
  // it.
  void SetNumbers(Numbers numbers);

  // How many events have been stored; all of them are in the database once it has taken all.
  int64_t stored() const { return stored_.load(); }
  void TookAll(int64_t stored);

  // --- By those that take events.

  // Waits for the first call of SetNumbers; nothing: it took longer than that.
  std::optional<Numbers> WaitForNumbers(std::chrono::nanoseconds patience);

  void Stored(int64_t events) { stored_ += events; }
  DatabaseState State();

 private:
  std::atomic<int64_t> stored_ = 0;
  std::mutex mutex_;  // over what follows
  std::condition_variable set_;
  std::optional<Numbers> numbers_;
  int64_t taken_ = 0;
  int64_t took_ = MonotonicClock();
  std::optional<int64_t> confirmed_;
};

}  // namespace stepscope::goodput
