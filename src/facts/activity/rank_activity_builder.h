// Builds the activities of a rank from its trace: linked to launches, assigned to steps, sorted.
#pragma once

#include <cstdint>
#include <memory>

#include "facts/activity/rank_activity.h"
#include "trace/trace.h"

namespace stepscope {

// What becomes of a trace's events when they have been read.
enum class Events : uint8_t {
  kKeep,
  kRelease,  // their memory is given back while they are read; the trace has no use after that
};

// Derives a recording's work. Rank and window are left for the caller to set, and names are ids of
// `trace.strings`. What had to be left out or guessed is counted in trace.notes.
RankActivity BuildRankActivity(Trace& trace, Events events = Events::kKeep);

// The same in parts, for who has threads for them.
class RankActivityBuilder {
 public:
  RankActivityBuilder(Trace& trace, Events events);
  ~RankActivityBuilder();

  // Each once, before Finish(); side by side only if events are kept. They read the trace, and the
  // second adds to its notes.
  void TakeHost();
  void TakeDevices();

  RankActivity Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stepscope
