// Sweeps each device over the windows of steps.
#include "facts/steps/step_use.h"

#include "facts/activity/priority_sweep.h"

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

std::vector<StepUse> UseOfSteps(const RankActivity& rank, std::span<const StepWindow> windows) {
  if (rank.devices.empty()) return {};
  std::vector<StepUse> uses(windows.size());
  const auto add = [&](size_t s, const TimeByOwner<kUses>& time) {
    const auto of = [&](Use use) { return time[static_cast<size_t>(use)]; };
    uses[s].idle = AddSaturated(uses[s].idle, of(Use::kIdle));
    uses[s].exposed = AddSaturated(uses[s].exposed, of(Use::kCommunication));
  };
  std::vector sweeps(rank.devices.size(), MakePrioritySweep<kUses>(windows, add));
  for (const Activity& activity : rank.activities)
    sweeps[rank.streams[activity.stream].device_index].Add(activity.start, activity.end,
                                                           UseOf(activity.kind));
  for (auto& of_device : sweeps) of_device.Finish();
  const auto devices = static_cast<int64_t>(rank.devices.size());
  for (StepUse& use : uses) use = {use.idle / devices, use.exposed / devices};
  return uses;
}

}  // namespace stepscope
