// Defines a step of a trace by the wall clock, by which traces and the events of a job are joined.
#pragma once

#include <cstdint>

namespace stepscope {

// Times are ns since 1970 by the clock of the rank's host.
struct TracedStep {
  int64_t rank = 0, number = 0, start = 0, end = 0;
};

}  // namespace stepscope
