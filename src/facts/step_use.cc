// A sweep per device over the windows of steps.
#include "facts/step_use.h"

#include "facts/priority_sweep.h"

namespace stepscope {
namespace {

// From the last in order to the first.
enum class Use : uint8_t { kIdle, kMemory, kCommunication, kCompute, kCount };
constexpr size_t kUses = static_cast<size_t>(Use::kCount);

Use UseOf(Kind kind) {
  if (kind == Kind::kCompute) return Use::kCompute;
  return kind == Kind::kCommunication ? Use::kCommunication : Use::kMemory;
}

}  // namespace

std::vector<StepUse> UseOfSteps(const RankWork& rank, std::span<const StepWindow> windows) {
  if (rank.devices.empty()) return {};
  std::vector<OwnedIntervals<kUses>> intervals(rank.devices.size());
  for (const Work& work : rank.work)
    intervals[rank.streams[work.stream].device_index].Add(work.start, work.end, UseOf(work.kind));
  std::vector<StepUse> uses(windows.size());
  for (OwnedIntervals<kUses>& of_device : intervals) {
    const auto times = SweepWindows<kUses>(of_device.Sorted(), windows);
    for (size_t s = 0; s < uses.size(); ++s) {
      const auto time = [&](Use use) { return times[s][static_cast<size_t>(use)]; };
      uses[s].idle = AddSaturated(uses[s].idle, time(Use::kIdle));
      uses[s].exposed = AddSaturated(uses[s].exposed, time(Use::kCommunication));
    }
  }
  const auto devices = static_cast<int64_t>(rank.devices.size());
  for (StepUse& use : uses) use = {use.idle / devices, use.exposed / devices};
  return uses;
}

}  // namespace stepscope
