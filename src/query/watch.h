// Ends a query that takes too long or that nobody wants any more.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "query/connection.h"

namespace stepscope::query {

// As long as it lives, a thread interrupts the connection once the time is over or a stop is asked
// for, until there is nothing more to interrupt.
class Watch {
 public:
  // `timeout`: ns from now; 0: none. The connection outlives it.
  Watch(const Connection& connection, int64_t timeout, std::stop_token stop);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  // For reading and analyses.
  std::stop_token token() const { return ending_.get_token(); }
  // Why it ended; none as long as nothing did.
  std::optional<Error> Ended() const;

 private:
  void Run(const std::stop_token& done, int64_t timeout, const std::stop_token& stop);

  const Connection* connection_;
  int64_t timeout_;
  std::stop_source ending_;
  std::atomic<bool> late_ = false;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;
};

}  // namespace stepscope::query
