// Waits for the deadline and for a stop.
#include "query/watch.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace stepscope::query {
namespace {

// An interrupt between two parts of the work is lost.
constexpr auto kAgain = std::chrono::milliseconds(20);

}  // namespace

Watch::Watch(const Connection& connection, int64_t timeout, std::stop_token stop)
    : connection_(&connection), timeout_(timeout) {
  if (timeout == 0 && !stop.stop_possible()) return;
  thread_ = std::jthread([this, timeout, stop = std::move(stop)](const std::stop_token& done) {
    Run(done, timeout, stop);
  });
}

Watch::~Watch() = default;

void Watch::Run(const std::stop_token& done, int64_t timeout, const std::stop_token& stop) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::nanoseconds(timeout);
  std::unique_lock lock(mutex_);
  const std::stop_callback on_stop(stop, [this] { wake_.notify_all(); });
  const auto ended = [&] {
    if (timeout > 0 && Clock::now() >= end) late_ = true;
    return late_ || stop.stop_requested();
  };
  while (!done.stop_requested() && !ended()) wake_.wait_for(lock, done, kAgain, ended);
  while (!done.stop_requested()) {
    ending_.request_stop();
    connection_->db().interrupt(connection_->get());
    wake_.wait_for(lock, done, kAgain, [] { return false; });
  }
}

std::optional<Error> Watch::Ended() const {
  if (!ending_.stop_requested()) return std::nullopt;
  if (!late_) return Error{"the query was canceled", "", ""};
  return Error{fmt::format("the query took longer than {} s", static_cast<double>(timeout_) / 1e9),
               "`query_timeout`", "a longer time, fewer ranks, or a smaller question"};
}

}  // namespace stepscope::query
