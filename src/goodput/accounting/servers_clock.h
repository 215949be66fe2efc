// Moves events of hosts whose clock is ahead onto the clock of the server that received them.
//
// No event is received before it happened, so an event later than its receipt shows by how much the
// clock of its host is ahead, to the time that sending took. A clock that is behind looks like
// events that were sent late, and is not moved.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "base/time_units.h"
#include "goodput/events/event.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

// By how much the clock of an event's host must be ahead to be moved. Servers stamp events that
// are.
inline constexpr int64_t kAheadOfServer = 10 * kSecond;

class ServersClock {
 public:
  // The event, or a copy with times of the server's clock and without its receipt, valid until the
  // next call. Counts a note for each clock.
  const Event& Move(const Event& event, Notes& note_counts);

 private:
  std::unordered_map<std::string, int64_t> ahead_;  // by host and boot, or writer
  Event moved_;
};

// Moves all times of the event but the monotonic one.
void MoveBack(Event& event, int64_t by);

}  // namespace stepscope::goodput
