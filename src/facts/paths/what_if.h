// Estimates the time of a window if some activities took longer or shorter.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "facts/paths/dependencies.h"
#include "stepscope/result.h"

namespace stepscope {

// One change: what it is about, and by what its time is multiplied.
struct Change {
  enum class Target : uint8_t { kBound, kKernel, kOperator };
  Target target = Target::kBound;
  Bound bound = Bound::kCompute;
  std::string name;  // part of a kernel's, in lower case; the whole of an operator's
  double factor = 1;
};

// Reads changes separated by ';':
//   kernel:TEXT*F     activities whose name contains TEXT, in any case
//   operator:NAME*F   the host inside this operator or annotation, and activities launched there
//   CLASS*F           compute, communication, memory, launch, kernel_gap, cpu, data_loading or sync
// F is a number from 0 to 1000; "=0" may stand for "*0".
Result<std::vector<Change>> ParseChanges(std::string_view text);

struct Replay {
  int64_t length = 0;    // ns
  bool touched = false;  // whether any of the changes concerns anything in the window
};

// How long the window of `dependencies` takes with `changes`: every moment as early as its edges
// allow, their lags multiplied. Without changes that is exactly what was recorded.
Replay ReplayWith(const Dependencies& dependencies, const RankActivity& rank,
                  const StringTable& names, const std::vector<Change>& changes);

}  // namespace stepscope
