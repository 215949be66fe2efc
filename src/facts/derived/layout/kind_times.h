// Sums communication by the kind of its group.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

// Of all recorded ranks, in ns.
struct KindTime {
  int64_t calls = 0;          // of ranks; each end of a message is one
  int64_t communication = 0;  // unions on each device
  int64_t exposed = 0;        // of these, without concurrent compute
  // Where some could be split into wait for the last rank and transfer; messages cannot.
  std::optional<int64_t> wait = {}, transfer = {};
};

struct KindTimes {
  std::vector<KindTime> classes;  // of each of ParallelLayout::classes
  KindTime other;                 // what is in no class
  int64_t span = 0;               // ns, of all devices
  double steps = 0;               // of all ranks; 0: unknown
};

const KindTimes& KindTimesOf(const Facts& facts);

}  // namespace stepscope
