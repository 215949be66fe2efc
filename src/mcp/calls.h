// Runs the calls of tools one after another on a thread of its own, so that the server hears of a
// cancellation while it works.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "mcp/message.h"

namespace stepscope::mcp {

// Who gets lines. From any thread; whole lines, one at a time.
class Output {
 public:
  // `write` takes a line with its end, and returns false when nobody reads any more.
  explicit Output(std::function<bool(std::string_view)> write) : write_(std::move(write)) {}
  void Send(const std::string& line);
  bool closed() const;

 private:
  std::function<bool(std::string_view)> write_;
  mutable std::mutex mutex_;  // over all
  bool closed_ = false;
};

// What a tool may do while it runs.
struct CallContext {
  std::stop_token stop;
  // Of `total`, in any unit; what does not grow is not sent.
  std::function<void(double done, double total, const std::string& message)> progress;
};

struct Call {
  Json id;
  Json progress_token = {};  // null: none
  // Returns the line that answers.
  std::function<std::string(const CallContext&)> run;
};

class Calls {
 public:
  explicit Calls(Output& output);
  ~Calls();  // gives up what runs

  // Fails where too many wait already, and where a call with this id runs or waits.
  std::expected<void, Failed> Add(Call call);

  // No answer follows any more. Does nothing where there is none such, or its answer was sent.
  void Cancel(const Json& id);

  // Waits until all have ended; gives up after `patience` what has not.
  void Finish(std::chrono::milliseconds patience);

 private:
  void Work(const std::stop_token& stop);
  void RunOne(Call call, std::stop_token stop);

  Output& output_;
  std::mutex mutex_;  // over all below
  std::condition_variable_any changed_;
  std::deque<Call> waiting_;
  std::optional<Json> running_;
  bool dropped_ = false;  // the one that runs: it shall send nothing
  std::stop_source stop_running_;
  std::jthread worker_;  // the last member: ends before the others do
};

}  // namespace stepscope::mcp
