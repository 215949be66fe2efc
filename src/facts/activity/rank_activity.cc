// Finds the step of a time, and what belongs to a device.
#include "facts/activity/rank_activity.h"

#include <algorithm>

namespace stepscope {

int32_t RankActivity::StepAt(int64_t time) const {
  const auto after = std::ranges::upper_bound(steps, time, {}, &Step::start);
  for (auto step = after; step != steps.begin();) {
    --step;
    if (time < step->end) return static_cast<int32_t>(step - steps.begin());
    if (after - step >= 2) break;  // annotations follow one another: no need to look further back
  }
  return kNoStep;
}

std::ranges::iota_view<uint32_t, uint32_t> RankActivity::StreamsOf(uint32_t device_index) const {
  const auto own = std::ranges::equal_range(streams, device_index, {}, &Stream::device_index);
  return {static_cast<uint32_t>(own.begin() - streams.begin()),
          static_cast<uint32_t>(own.end() - streams.begin())};
}

std::vector<std::vector<uint32_t>> RankActivity::ActivitiesByDevice() const {
  std::vector<std::vector<uint32_t>> of_devices(devices.size());
  uint32_t index = 0;
  for (const Activity& activity : activities)
    of_devices[streams[activity.stream].device_index].push_back(index++);
  return of_devices;
}

const DeviceProperties* RankActivity::PropertiesOf(int64_t device) const {
  const auto at = std::ranges::lower_bound(properties, device, {}, &DeviceProperties::device);
  return at == properties.end() || at->device != device ? nullptr : &*at;
}

}  // namespace stepscope
