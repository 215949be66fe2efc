// Holds what a rank has launched in a step: work whose times are known only when those of other
// ranks are (meetings.h).
#pragma once

#include <array>
#include <cstdint>

#include "demo/events.h"
#include "demo/gpu.h"
#include "demo/kernels.h"

namespace stepscope::demo {

// Launches of several ranks that end together: those of a collective, or both ends of a message.
struct Meeting {
  uint64_t key = 0;  // the same for all of them; 0: none
  int members = 0;
  int64_t duration = 0;  // from the moment when all have begun
};

struct Launch {
  // When it could start, if it were for this rank alone; in a job with parallel groups, if it were
  // for the rank's host alone.
  int64_t ready = 0;
  int64_t external_id = 0, correlation = 0;
  Message message = {};
  Slot slot = {.start = kNone, .end = kNone};  // when it ran

  // Of a job with parallel groups alone.
  const Kernel* kernel = nullptr;
  const Node* note = nullptr;  // the annotation of a collective or message
  Lane lane = Lane::kCompute;
  bool ends_gap = false;  // the first work after the planted gap
  int64_t gap = 0;        // behind all that it is after
  int64_t duration = 0;   // of work of this rank alone
  Meeting meeting = {};
  // Of each lane, the last of the rank's launches that must have ended before; kNone: none. Its own
  // lane has that one's predecessor.
  std::array<int32_t, kLanes> after = {};
};

}  // namespace stepscope::demo
