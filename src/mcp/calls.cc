// Runs the calls of tools one after another.
#include "mcp/calls.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

namespace stepscope::mcp {

constexpr size_t kMostWaiting = 32;

void Output::Send(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!closed_) closed_ = !write_(line + "\n");
}

bool Output::closed() const {
  const std::lock_guard lock(mutex_);
  return closed_;
}

Calls::Calls(Output& output)
    : output_(output), worker_([this](const std::stop_token& stop) { Work(stop); }) {}

Calls::~Calls() {
  worker_.request_stop();
  const std::lock_guard lock(mutex_);
  dropped_ = true;
  waiting_.clear();
  stop_running_.request_stop();
}

std::expected<void, Failed> Calls::Add(Call call) {
  const std::lock_guard lock(mutex_);
  if ((running_ && *running_ == call.id) ||
      std::ranges::find(waiting_, call.id, &Call::id) != waiting_.end())
    return std::unexpected(Failed{kInvalidRequest, "a request with this id is still in progress"});
  if (waiting_.size() >= kMostWaiting)
    return std::unexpected(Failed{kInternalError, "too many calls wait: send fewer at once"});
  waiting_.push_back(std::move(call));
  changed_.notify_all();
  return {};
}

void Calls::Cancel(const Json& id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [&](const Call& call) { return call.id == id; });
  if (running_ && *running_ == id) {
    dropped_ = true;
    stop_running_.request_stop();
  }
  changed_.notify_all();
}

void Calls::Finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  const auto idle = [&] { return waiting_.empty() && !running_; };
  changed_.wait_for(lock, patience, idle);
}

void Calls::Work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !waiting_.empty(); })) {
    if (stop.stop_requested()) return;
    Call call = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = call.id;
    dropped_ = false;
    stop_running_ = std::stop_source();
    std::stop_token stop_call = stop_running_.get_token();
    lock.unlock();
    RunOne(std::move(call), std::move(stop_call));
    lock.lock();
  }
}

void Calls::RunOne(Call call, std::stop_token stop) {
  double sent = -1;
  const auto progress = [&](double done, double total, const std::string& message) {
    if (call.progress_token.is_null() || done <= sent) return;
    sent = done;
    const std::lock_guard lock(mutex_);
    if (dropped_) return;
    output_.Send(NotificationLine("notifications/progress", {{"progressToken", call.progress_token},
                                                             {"progress", done},
                                                             {"total", total},
                                                             {"message", message}}));
  };
  std::string answer;
  try {
    answer = call.run({.stop = std::move(stop), .progress = progress});
  } catch (const std::bad_alloc&) {
    answer = ErrorLine(call.id, {kInternalError, "out of memory"});
  } catch (const std::exception&) {  // a defect: its text may be of the trace
    answer = ErrorLine(call.id, {kInternalError, "an internal error; report it with the input"});
  }
  // At once, since the client may use the id again when it has the answer.
  const std::lock_guard lock(mutex_);
  if (!dropped_) output_.Send(answer);
  running_.reset();
  changed_.notify_all();
}

}  // namespace stepscope::mcp
