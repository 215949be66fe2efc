// Joins the events of one file: which call launched an activity, and which events are around one.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace stepscope {

inline constexpr uint32_t kNoEvent = UINT32_MAX;

// Of each event the call of the runtime that launched it, by correlation id; kNoEvent for all but
// device activities, and where the trace has no such call. Of two calls with one id the earlier one
// is the launch.
std::vector<uint32_t> LaunchesOf(const Trace& trace);

// What is around each event on its thread. Events of streams have nothing around them.
struct Nesting {
  // The innermost operator, annotation, call or Python frame that begins no later and ends no
  // sooner; kNoEvent for outermost ones. Of two with the same times the one that stands first in
  // the file is around the other.
  std::vector<uint32_t> parents;
  std::vector<uint32_t> operators;  // the innermost operator around it
  std::vector<uint32_t> depths;     // how many there are around it
};
Nesting NestingOf(const Trace& trace);

}  // namespace stepscope
