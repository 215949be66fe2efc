// Sweeps each device over the windows of steps.
#include "facts/steps/step_use.h"

#include "base/saturate.h"
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

std::vector<std::vector<StepUse>> UseOfDevices(const RankActivity& rank,
                                               std::span<const StepWindow> windows) {
  std::vector uses(rank.devices.size(), std::vector<StepUse>(windows.size()));
  const auto sweep_of = [&](size_t device) {
    return MakePrioritySweep<kUses>(windows, [&uses, device](size_t s, const auto& time) {
      const auto of = [&](Use use) { return time[static_cast<size_t>(use)]; };
      uses[device][s] = {of(Use::kIdle), of(Use::kCommunication), of(Use::kCompute)};
    });
  };
  std::vector<decltype(sweep_of(0))> sweeps;
  for (size_t device = 0; device < uses.size(); ++device) sweeps.push_back(sweep_of(device));
  for (const Activity& activity : rank.activities)
    sweeps[rank.streams[activity.stream].device_index].Add(activity.start, activity.end,
                                                           UseOf(activity.kind));
  for (auto& of_device : sweeps) of_device.Finish();
  return uses;
}

std::vector<StepUse> UseOfSteps(const RankActivity& rank, std::span<const StepWindow> windows) {
  if (rank.devices.empty()) return {};
  std::vector<StepUse> means(windows.size());
  const auto of_devices = UseOfDevices(rank, windows);
  const auto devices = static_cast<int64_t>(rank.devices.size());
  for (size_t s = 0; s < means.size(); ++s) {
    StepUse& sum = means[s];
    for (const auto& uses : of_devices) {
      sum.idle = AddSaturated(sum.idle, uses[s].idle);
      sum.exposed = AddSaturated(sum.exposed, uses[s].exposed);
      sum.compute = AddSaturated(sum.compute, uses[s].compute);
    }
    sum = {sum.idle / devices, sum.exposed / devices, sum.compute / devices};
  }
  return means;
}

}  // namespace stepscope
