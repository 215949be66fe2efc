// Sums copies by device and direction.
#include "facts/devices/copy_rates.h"

#include <algorithm>
#include <cmath>

#include "base/saturate.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

// Bytes per second, or -1 if nothing tells.
double RateOf(const Copy& copy, int64_t duration) {
  if (copy.bandwidth >= 0) return copy.bandwidth;
  if (copy.bytes < 0 || duration <= 0) return -1;
  return PerSecond(static_cast<double>(copy.bytes), static_cast<double>(duration));
}

void AddCopy(CopyRates& copies, const Activity& activity, const Copy& copy) {
  constexpr double kFastest = 1e15;  // bytes per second; what is above is no measurement
  ++copies.count;
  copies.bytes = AddSaturated(copies.bytes, std::max<int64_t>(copy.bytes, 0));
  copies.running.Add(activity.start, activity.end);
  const double rate = RateOf(copy, activity.duration());
  if (rate >= 0 && rate <= kFastest) {
    copies.rate.Add(activity.start, activity.end, std::llround(rate));
  }
  if (copy.bytes < 0) ++copies.without_size;
}

}  // namespace

std::vector<CopyRatesByPath> FollowCopies(const RankActivity& rank) {
  std::vector<CopyRatesByPath> devices(rank.devices.size());
  for (const Activity& activity : rank.activities) {
    if (!IsMemory(activity.kind) || activity.detail == kNoDetail) continue;
    const Copy& copy = rank.copies[static_cast<size_t>(activity.detail)];
    AddCopy(devices[rank.streams[activity.stream].device_index][static_cast<size_t>(copy.path)],
            activity, copy);
  }
  return devices;
}

}  // namespace stepscope
