// Sweeps a device's activities and sums the time of each combination of kinds.
#include "facts/devices/occupancy.h"

#include <algorithm>
#include <bit>

namespace stepscope {

void OccupancySweep::AdvanceTo(int64_t time) {
  while (now_ < time) {
    unsigned combination = 0;
    int64_t next = time;
    for (unsigned i = 0; i < until_.size(); ++i) {
      if (until_[i] <= now_) continue;
      combination |= 1u << i;
      next = std::min(next, until_[i]);
    }
    sum_.time[combination] += next - now_;
    now_ = next;
  }
}

void OccupancySweep::Add(unsigned bit, int64_t start, int64_t end) {
  if (!sum_.any) {
    sum_.any = true;
    sum_.first = sum_.last = now_ = start;
    until_.fill(start);
  }
  AdvanceTo(start);
  int64_t& until = until_[static_cast<size_t>(std::countr_zero(bit))];
  until = std::max(until, end);
  sum_.last = std::max(sum_.last, end);
}

Occupancy OccupancySweep::Finish() {
  AdvanceTo(sum_.last);
  return sum_;
}

}  // namespace stepscope
