// Decides what each poll is answered. It knows no socket and no clock, so that every order of
// events can be tested.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "capture/torch/fabric.h"
#include "capture/torch/request.h"
#include "stepscope/result.h"

namespace stepscope::capture {

// What is known of one process. Moments; 0: never.
struct DeskState {
  int64_t polls = 0;
  int64_t last_poll = 0;
  int64_t last_busy = 0;  // it said that something is being recorded
  int64_t offered = 0;
  int64_t handed = 0;    // the request of the last offer was sent
  int64_t start = 0;     // of that request; 0: with the next step
  bool waiting = false;  // an offer waits for its poll
};

class Desk {
 public:
  // At the next poll of this process. Replaces nothing: fails while another offer waits or its
  // recording may run.
  Result<void> Offer(int64_t pid, const TraceRequest& request, int64_t now);
  // Takes an offer back that was not handed out.
  void Withdraw(int64_t pid);
  DeskState StateOf(int64_t pid) const;
  // Processes that polled within the last minute.
  std::map<int64_t, DeskState> Seen(int64_t now) const;

  // The text to answer with; none: no answer may be sent. `sent` is when the client asked.
  // libkineto waits 90 ms: what comes later is read as the answer to its next poll, and all that
  // follow stay one behind. The same happens when it asks twice at once and reads one answer.
  std::optional<std::string> Answer(int64_t pid, const std::string& client, const Poll& poll,
                                    int64_t sent, int64_t now);
  // A request that Answer() gave could not be sent: it was not handed out.
  void NotSent(int64_t pid);
  // The recording is surely over: another may be offered.
  void Over(int64_t pid);

 private:
  struct Entry {
    DeskState state;
    TraceRequest request;
    int64_t busy_until = 0;                   // the recording that was handed out surely ended
    std::map<std::string, int64_t> answered;  // by client, a moment
  };
  std::map<int64_t, Entry> entries_;  // by pid
};

}  // namespace stepscope::capture
