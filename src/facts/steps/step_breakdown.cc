// Activities of devices and hosts, swept over steps.
#include "facts/steps/step_breakdown.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "facts/activity/by_start.h"
#include "facts/activity/priority_sweep.h"
#include "facts/steps/steps.h"
#include "trace/vocabulary.h"

namespace stepscope {
namespace {

Activity ActivityOfCompute(Precision precision) {
  switch (precision) {
    case Precision::k8:
      return Activity::kCompute8;
    case Precision::k16:
      return Activity::kCompute16;
    case Precision::k32:
      return Activity::kCompute32;
    case Precision::kUnknown:
      break;
  }
  return Activity::kComputeUnknown;
}

Activity ActivityOfCopy(CopyPath path) {
  if (path == CopyPath::kHostToDevice) return Activity::kHostToDevice;
  return path == CopyPath::kDeviceToHost ? Activity::kDeviceToHost : Activity::kDeviceToDevice;
}

// The precision of the operands, where a kernel's name does not tell: "["c10::Half", "float"]".
Precision PrecisionOfTypes(std::string_view types) {
  const auto any = [&](std::initializer_list<std::string_view> parts) {
    return std::ranges::any_of(parts, [&](std::string_view p) { return types.contains(p); });
  };
  if (any({"Float8", "signed char", "unsigned char"})) return Precision::k8;
  if (any({"Half", "BFloat16"})) return Precision::k16;
  return any({"float", "double"}) ? Precision::k32 : Precision::kUnknown;
}

// What names mean, each looked at once.
class Names {
 public:
  Names(const RankWork& rank, const StringTable& names)
      : rank_(rank), names_(names), precisions_(names.size()), ranges_(names.size()) {}

  Activity OfWork(const Work& work) {
    if (work.kind == Kind::kCommunication) return Activity::kCollective;
    if (IsMemory(work.kind)) return ActivityOfCopy(PathOf(work));
    auto& precision = precisions_[work.name];
    if (!precision) precision = PrecisionOfKernel(names_[work.name]);
    if (*precision != Precision::kUnknown) return ActivityOfCompute(*precision);
    return ActivityOfCompute(PrecisionOfOperands(work));
  }

  HostActivity OfRange(StringId name) {
    auto& activity = ranges_[name];
    if (!activity) activity = HostActivityOfName(names_[name]);
    return *activity;
  }

 private:
  CopyPath PathOf(const Work& work) const {
    return work.detail == kNoDetail ? CopyPath::kOther
                                    : rank_.copies[static_cast<size_t>(work.detail)].path;
  }

  // Of the innermost operator around the launch that tells.
  Precision PrecisionOfOperands(const Work& work) const {
    const auto call = rank_.CallOf(work);
    if (!call) return Precision::kUnknown;
    const HostWork& host = *rank_.host;
    constexpr int kFurthest = 4;  // operators call one another; further up they say less and less
    int32_t range = call->range;
    for (int i = 0; i < kFurthest && range != kNoRange; ++i) {
      const HostRange& around = host.ranges[static_cast<size_t>(range)];
      const RangeDetail* detail = host.DetailOf(around);
      if (detail != nullptr && detail->types != kNoString) {
        const Precision told = PrecisionOfTypes(names_[detail->types]);
        if (told != Precision::kUnknown) return told;
      }
      range = around.parent;
    }
    return Precision::kUnknown;
  }

  const RankWork& rank_;
  const StringTable& names_;
  std::vector<std::optional<Precision>> precisions_;  // by name
  std::vector<std::optional<HostActivity>> ranges_;   // by name
};

// Threads that prepare input ahead of the step; what they do costs it nothing until it waits.
std::vector<bool> InputThreads(const HostWork& host) {
  std::vector<bool> of_input;
  for (const std::string& name : host.threads) of_input.push_back(name.contains("tf_data"));
  return of_input;
}

// Waiting for the device is no launching.
bool Launches(CallRole role) {
  return role != CallRole::kStreamSync && role != CallRole::kDeviceSync &&
         role != CallRole::kEventSync;
}

StepRole RoleOf(Kind kind) {
  if (kind == Kind::kCommunication) return StepRole::kCommunication;
  if (kind == Kind::kMemcpy) return StepRole::kMemcpy;
  return kind == Kind::kMemset ? StepRole::kMemset : StepRole::kKernel;
}

}  // namespace

std::vector<StepWindow> StepWindows(const RankWork& rank) {
  const std::vector<StepStretch> stretches = StepStretches(rank);
  std::vector<StepWindow> windows;
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    const auto [start, end, has_work] = stretches[s];
    if (!rank.steps[s].complete || !(has_work || rank.work.empty()) || end <= start) continue;
    windows.push_back({.number = rank.steps[s].number, .start = start, .end = end});
  }
  return windows;
}

std::vector<StepBreakdown> BreakStepsDown(const RankWork& rank, const StringTable& names,
                                          std::span<const StepWindow> windows) {
  Names meaning(rank, names);
  std::vector<StepBreakdown> steps;
  auto sweep = MakePrioritySweep<kActivities>(
      windows, [&](size_t s, const auto& time) { steps.push_back({windows[s], time}); });
  const auto add = [&](const auto& item, Activity a) { sweep.Add(item.start, item.end, a); };
  const std::vector<bool> of_input = InputThreads(*rank.host);
  const auto add_range = [&](const HostRange& range) {
    const HostActivity doing = meaning.OfRange(range.name);
    const bool op = range.kind == Kind::kOperator && !of_input[range.thread];
    if (doing == HostActivity::kInputWait)
      add(range, Activity::kInputWait);
    else if (doing == HostActivity::kCompilation)
      add(range, Activity::kCompilation);
    else if (doing == HostActivity::kTransfer)
      add(range, Activity::kHostToDevice);
    else if (doing == HostActivity::kExecutor && op && !rank.work.empty())
      add(range, Activity::kLaunch);
    else if (doing != HostActivity::kWrapper && op)
      add(range, Activity::kHostCompute);
  };
  const auto add_call = [&](const Call& call) {
    if (Launches(call.role)) add(call, Activity::kLaunch);
  };
  ForEachByStart(
      rank, [&](const Work& work) { add(work, meaning.OfWork(work)); }, add_call, add_range);
  sweep.Finish();
  return steps;
}

std::vector<std::array<int64_t, kStepRoles>> StepRoles(const RankWork& rank,
                                                       const StringTable& names,
                                                       std::span<const StepWindow> windows) {
  std::vector<std::array<int64_t, kStepRoles>> times;
  auto sweep = MakePrioritySweep<kStepRoles>(
      windows, [&](size_t, const auto& time) { times.push_back(time); });
  const auto add = [&](const auto& item, StepRole role) { sweep.Add(item.start, item.end, role); };
  Names meaning(rank, names);
  const auto add_range = [&](const HostRange& range) {
    const HostActivity doing = meaning.OfRange(range.name);
    if (doing == HostActivity::kInputWait)
      add(range, StepRole::kDataLoader);
    else if (range.kind == Kind::kOperator)  // wrappers too, where they were recorded as operators
      add(range, StepRole::kCpuExec);
  };
  ForEachByStart(
      rank, [&](const Work& work) { add(work, RoleOf(work.kind)); },
      [&](const Call& call) { add(call, StepRole::kRuntime); }, add_range);
  sweep.Finish();
  return times;
}

}  // namespace stepscope
