// Passes what a collector has stored on to another collector: `send --follow` in a thread of its
// own.
//
// The other one may be gone for any time: the directory keeps what it lacks, and the cursor in it
// tells from where on. It confirms an event once, whatever is sent again after a kill, and a circle
// of relays ends where an event is known. One that lost its store, or has another, says so by the
// store's name, and gets all that the directory has again.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "stepscope/goodput_send.h"

namespace stepscope::goodput {

// Of a relay since its process began, and what it lags behind.
struct RelayState {
  GoodputSendProgress progress;
  std::optional<int64_t> confirmed;  // when last, ns since 1970
  int64_t lag = 0;        // ns since all that was stored had been confirmed, or the start
  int64_t lag_bytes = 0;  // of events, as they are stored
};

class Relay {
 public:
  Relay(std::string folder, std::string to, std::string token);

  // Ends after one more try to send what is left.
  ~Relay() = default;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // What it waits for; empty: nothing.
  std::string problem();

  // That the next collector has another store than before: sentences, each once.
  std::vector<std::string> TakeNews();

  // Which slots of a segment are written, by its path; none: all that the file has.
  using WrittenSlots = std::function<std::optional<uint64_t>(const std::string& path)>;
  RelayState State(const WrittenSlots& written);

 private:
  void Run(const std::stop_token& stop);
  GoodputSendOptions Options(const std::stop_token& stop);
  bool Wait(const std::stop_token& stop, int64_t ns);
  int64_t LagBytes(const WrittenSlots& written) const;

  std::string folder_, to_, token_, cursor_;
  std::mutex mutex_;  // over what follows
  std::condition_variable_any wake_;
  std::string problem_;
  std::vector<std::string> news_;
  RelayState state_;
  GoodputSendProgress before_;  // of earlier sendings
  int64_t caught_up_;           // by the monotonic clock
  std::jthread thread_;         // the last member: ends before the others do
};

}  // namespace stepscope::goodput
