// Finds the ranges of each thread.
#include "facts/activity/host_ops.h"

namespace stepscope {

std::vector<size_t> HostOps::RangesByThread() const {
  std::vector<size_t> begins;
  for (size_t t = 0; t <= threads.size(); ++t) {
    begins.push_back(ranges.LowerBound<RangeColumns::kThread>(static_cast<int64_t>(t)));
  }
  return begins;
}

}  // namespace stepscope
