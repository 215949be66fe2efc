// Sums by device and step.
#include "facts/derived/lateness/host_efforts.h"

#include <algorithm>
#include <iterator>

#include "base/saturate.h"

namespace stepscope {
namespace {

// Of a device or the host: work that no step launched, then by step.
class Efforts {
 public:
  Efforts(const RankActivity& rank, int64_t device) : of_(rank.steps.size() + 1) {
    for (size_t i = 0; i < of_.size(); ++i) {
      of_[i].device = device;
      of_[i].step = i == 0 ? -1 : rank.steps[i - 1].number;
    }
  }

  CondensedEffort& Of(int32_t step) {
    return of_[step == kNoStep ? 0 : static_cast<size_t>(step) + 1];
  }

  void MoveTo(std::vector<CondensedEffort>& list) const {
    std::ranges::copy_if(of_, std::back_inserter(list), [](const CondensedEffort& e) {
      return e.kernels > 0 || e.host_late > 0 || e.pauses > 0 || e.input > 0;
    });
  }

 private:
  std::vector<CondensedEffort> of_;
};

// Whether it was launched after all that had been launched before had ended. Steps that were not
// selected may lie before the first activity: what was idle then is not known.
bool IsLate(const Activity& activity, int64_t busy_until) {
  return busy_until != kNoTime && activity.start > busy_until && activity.launched != kNoTime &&
         activity.launched > busy_until;
}

// `until`: when the kernels before it have ended.
void AddPause(const Activity& kernel, int64_t& until, CondensedEffort& effort) {
  const int64_t pause = until == kNoTime ? 0 : SubtractSaturated(kernel.start, until);
  if (pause > 0 && pause < kPause && !IsLate(kernel, until))
    effort.pauses = AddSaturated(effort.pauses, pause);
  until = std::max(until, kernel.end);
}

// By RankActivity::devices.
std::vector<Efforts> EffortsOfDevices(const RankActivity& rank) {
  std::vector<Efforts> devices;
  for (const int64_t device : rank.devices) devices.emplace_back(rank, device);
  std::vector<int64_t> until(rank.devices.size(), kNoTime), computing = until;
  for (const Activity& activity : rank.activities) {
    const uint32_t device = rank.streams[activity.stream].device_index;
    CondensedEffort& effort = devices[device].Of(activity.step);
    if (activity.kind == Kind::kCompute) {
      ++effort.kernels;
      AddPause(activity, computing[device], effort);
    }
    int64_t& busy_until = until[device];
    if (IsLate(activity, busy_until))
      effort.host_late = AddSaturated(effort.host_late, activity.start - busy_until);
    busy_until = std::max(busy_until, activity.end);
  }
  return devices;
}

}  // namespace

// Waiting for data: the iterator of PyTorch's DataLoader is recorded as
// "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__".
bool HostEfforts::IsInput(StringId name) {
  const auto [at, is_new] = inputs_.try_emplace(name, false);
  if (is_new) at->second = names_[name].contains("DataLoader");
  return at->second;
}

std::vector<CondensedEffort> HostEfforts::Of(const RankActivity& rank) {
  if (rank.condensed) return rank.condensed->efforts;
  Efforts of_host(rank, -1);
  const auto& ranges = rank.host->ranges;
  for (const HostRange& range : ranges) {
    if (!IsInput(range.name)) continue;
    if (range.parent != kNoRange && IsInput(ranges[static_cast<size_t>(range.parent)].name))
      continue;
    const int32_t step = rank.StepAt(range.start);
    if (!rank.steps.empty() && step == kNoStep) continue;
    int64_t& input = of_host.Of(step).input;
    input = AddSaturated(input, range.duration());
  }
  std::vector<CondensedEffort> list;
  of_host.MoveTo(list);
  for (const Efforts& of_device : EffortsOfDevices(rank)) of_device.MoveTo(list);
  return list;
}

}  // namespace stepscope
