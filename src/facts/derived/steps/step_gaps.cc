// Finds the first and last kernel of every step, and what lies between.
#include "facts/derived/steps/step_gaps.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "facts/activity/compute_cover.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/steps/gap_activity.h"

namespace stepscope {
namespace {

// The kernels of one step on one device.
struct StepKernels {
  Activity first;
  int64_t last_end = 0;
};
using DeviceAndStep = std::pair<uint32_t, int32_t>;  // indices

std::map<DeviceAndStep, StepKernels> KernelsOfSteps(const RankActivity& rank) {
  std::map<DeviceAndStep, StepKernels> steps;
  for (const Activity& activity : rank.activities) {
    if (IsMemory(activity.kind) || activity.step == kNoStep) continue;
    const uint32_t device = rank.streams[activity.stream].device_index;
    const auto [step, is_new] = steps.try_emplace({device, activity.step}, activity, activity.end);
    if (!is_new) step->second.last_end = std::max(step->second.last_end, activity.end);
  }
  return steps;
}

// The thread that launches most of the recording's kernels.
std::optional<uint32_t> LaunchingThread(const RankActivity& rank) {
  std::map<uint32_t, int64_t> launches;
  for (const Activity& activity : rank.activities) {
    if (const auto call = rank.CallOf(activity); call && !IsMemory(activity.kind)) {
      ++launches[call->thread];
    }
  }
  const auto most =
      std::ranges::max_element(launches, {}, [](const auto& count) { return count.second; });
  if (most == launches.end()) return std::nullopt;
  return most->first;
}

class Finder {
 public:
  Finder(const StringTable& names, const RankActivity& rank)
      : rank_(rank),
        activities_(names, *rank.host),
        launching_(LaunchingThread(rank)),
        busy_(ComputeCover::Of(rank, kDeviceActivity)),
        copying_(ComputeCover::Of(rank, {Kind::kMemcpy, Kind::kMemset})) {
    if (rank.on_host) host_idle_ = IdleWithin(rank, {{INT64_MIN, INT64_MAX}});
  }

  std::vector<std::vector<StepGap>> Find() {
    std::vector<std::vector<StepGap>> gaps(rank_.devices.size());
    const auto kernels = KernelsOfSteps(rank_);
    for (auto at = kernels.begin(); at != kernels.end(); ++at) {
      const auto next = std::next(at);
      if (next == kernels.end()) break;
      const auto [device, step] = next->first;
      if (at->first != DeviceAndStep(device, step - 1) || !Follows(step)) continue;
      gaps[device].push_back(Between(device, at->second, next->second));
      gaps[device].back().step = step;
    }
    return gaps;
  }

 private:
  bool Follows(int32_t index) const {
    const Step& step = rank_.steps[static_cast<size_t>(index)];
    const Step& before = rank_.steps[static_cast<size_t>(index) - 1];
    return step.number - 1 == before.number && step.stretch == before.stretch;
  }

  StepGap Between(uint32_t device, const StepKernels& before, const StepKernels& step) {
    const int64_t start = before.last_end, end = step.first.start;
    StepGap gap{.gap = std::max<int64_t>(end - start, 0)};
    if (gap.gap == 0) return gap;
    gap.idle =
        rank_.on_host ? HostIdleWithin(start, end) : gap.gap - busy_[device].Within(start, end);
    gap.copies = copying_[device].Within(start, end);
    HostDuring(start, end, step.first, gap);
    return gap;
  }

  // Devices that are processors share these: one does not idle while another computes.
  int64_t HostIdleWithin(int64_t start, int64_t end) const {
    int64_t idle = 0;
    auto at = std::ranges::upper_bound(host_idle_, start, {}, &Interval::end);
    for (; at != host_idle_.end() && at->start < end; ++at)
      idle += std::min(at->end, end) - std::max(at->start, start);
    return idle;
  }

  // Whether the name does not tell what the host did: nothing was recorded, or it spans everything.
  static bool IsGeneric(std::string_view name) {
    const HostActivity activity = HostActivityOfName(name);
    return name == kPythonActivity || activity == HostActivity::kWrapper ||
           activity == HostActivity::kExecutor;
  }

  // What the host did until it launched the kernel that ended the gap.
  void HostDuring(int64_t start, int64_t end, const Activity& first, StepGap& gap) {
    const auto call = rank_.CallOf(first);
    if (call && call->start <= start) {
      gap.host = {.name = kLaunchedAhead};
      return;
    }
    const int64_t until = !call ? end : std::min(end, call->start);
    gap.during = {start, until};
    gap.thread = !call ? launching_ : std::optional(call->thread);
    auto activity = gap.thread ? activities_.In(*gap.thread, start, until) : std::nullopt;
    const auto marked = activities_.step_thread();
    const bool silent = !activity || activity->name == kPythonActivity;
    if (silent && marked && marked != gap.thread) {
      auto other = activities_.In(*marked, start, until);
      if (other && (!activity || other->name != kPythonActivity)) {
        activity = std::move(other);
        gap.thread = marked;
      }
    }
    if (!activity || IsGeneric(activity->name)) {
      if (auto wait = activities_.InputWait(start, until)) {
        gap.host = *wait;
        return;
      }
    }
    gap.host = activity.value_or(MainActivity{});
  }

  const RankActivity& rank_;
  HostActivities activities_;
  std::optional<uint32_t> launching_;
  std::vector<ComputeCover> busy_, copying_;  // by device
  IntervalSet host_idle_;  // of all devices, where they are the host's processors
};

}  // namespace

std::vector<std::vector<StepGap>> FindStepGaps(const StringTable& names, const RankActivity& rank) {
  if (rank.steps.size() < 2) return std::vector<std::vector<StepGap>>(rank.devices.size());
  return Finder(names, rank).Find();
}

}  // namespace stepscope
