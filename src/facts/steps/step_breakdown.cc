// Sweeps activities of devices and hosts over steps.
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

StepPart StepPartOfCompute(Precision precision) {
  switch (precision) {
    case Precision::k8:
      return StepPart::kCompute8;
    case Precision::k16:
      return StepPart::kCompute16;
    case Precision::k32:
      return StepPart::kCompute32;
    case Precision::kUnknown:
      break;
  }
  return StepPart::kComputeUnknown;
}

StepPart StepPartOfCopy(CopyPath path) {
  if (path == CopyPath::kHostToDevice) return StepPart::kHostToDevice;
  return path == CopyPath::kDeviceToHost ? StepPart::kDeviceToHost : StepPart::kDeviceToDevice;
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
  Names(const RankActivity& rank, const StringTable& names)
      : rank_(rank), names_(names), precisions_(names.size()), ranges_(names.size()) {}

  StepPart PartOf(const Activity& activity) {
    if (activity.kind == Kind::kCommunication) return StepPart::kCollective;
    if (IsMemory(activity.kind)) return StepPartOfCopy(PathOf(activity));
    auto& precision = precisions_[activity.name];
    if (!precision) precision = PrecisionOfKernel(names_[activity.name]);
    if (*precision != Precision::kUnknown) return StepPartOfCompute(*precision);
    return StepPartOfCompute(PrecisionOfOperands(activity));
  }

  HostActivity OfRange(StringId name) {
    auto& activity = ranges_[name];
    if (!activity) activity = HostActivityOfName(names_[name]);
    return *activity;
  }

 private:
  CopyPath PathOf(const Activity& activity) const {
    return activity.detail == kNoDetail ? CopyPath::kOther
                                        : rank_.copies[static_cast<size_t>(activity.detail)].path;
  }

  // Of the innermost operator around the launch that tells.
  Precision PrecisionOfOperands(const Activity& activity) const {
    const auto call = rank_.CallOf(activity);
    if (!call) return Precision::kUnknown;
    const HostOps& host = *rank_.host;
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

  const RankActivity& rank_;
  const StringTable& names_;
  std::vector<std::optional<Precision>> precisions_;  // by name
  std::vector<std::optional<HostActivity>> ranges_;   // by name
};

// Threads that prepare input ahead of the step; what they do costs it nothing until it waits.
std::vector<bool> InputThreads(const HostOps& host) {
  std::vector<bool> of_input;
  for (const std::string& name : host.threads) of_input.push_back(name.contains("tf_data"));
  return of_input;
}

// By call: whether it copies to a device. From memory that is not locked such a call copies itself.
std::vector<bool> CallsThatCopyIn(const RankActivity& rank) {
  std::vector<bool> copies;
  for (const Activity& activity : rank.activities) {
    if (activity.kind != Kind::kMemcpy || activity.call == kNoCall || activity.detail == kNoDetail)
      continue;
    if (rank.copies[static_cast<size_t>(activity.detail)].path != CopyPath::kHostToDevice) continue;
    const auto call = static_cast<size_t>(activity.call);
    if (call >= copies.size()) copies.resize(call + 1);
    copies[call] = true;
  }
  return copies;
}

// Waiting for the device is no launching.
std::optional<StepPart> PartOfCall(const Call& call, bool copies_in) {
  switch (call.role) {
    case CallRole::kStreamSync:
    case CallRole::kDeviceSync:
    case CallRole::kEventSync:
      return std::nullopt;
    case CallRole::kAllocate:
      return StepPart::kAllocation;
    default:
      return copies_in ? StepPart::kHostToDevice : StepPart::kLaunch;
  }
}

StepRole RoleOf(Kind kind) {
  if (kind == Kind::kCommunication) return StepRole::kCommunication;
  if (kind == Kind::kMemcpy) return StepRole::kMemcpy;
  return kind == Kind::kMemset ? StepRole::kMemset : StepRole::kKernel;
}

}  // namespace

std::vector<StepWindow> StepWindows(const RankActivity& rank) {
  const std::vector<StepStretch> stretches = StepStretches(rank);
  std::vector<StepWindow> windows;
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    const auto [start, end, has_work] = stretches[s];
    if (!rank.steps[s].complete || !(has_work || rank.activities.empty()) || end <= start) continue;
    windows.push_back({.number = rank.steps[s].number, .start = start, .end = end});
  }
  return windows;
}

namespace {

// Calls take(window, its times by StepPart), and stretch(part, start, end) for what they add up.
template <class Take, class Stretch>
void SweepParts(const RankActivity& rank, const StringTable& names,
                std::span<const StepWindow> windows, const Take& take, const Stretch& stretch) {
  Names meaning(rank, names);
  auto sweep = MakePrioritySweep<kStepParts>(windows, take, stretch);
  const auto add = [&](const auto& item, StepPart a) { sweep.Add(item.start, item.end, a); };
  const std::vector<bool> of_input = InputThreads(*rank.host);
  const auto add_range = [&](const HostRange& range) {
    const HostActivity doing = meaning.OfRange(range.name);
    const bool op = range.kind == Kind::kOperator && !of_input[range.thread];
    if (doing == HostActivity::kInputWait)
      add(range, StepPart::kInputWait);
    else if (doing == HostActivity::kCompilation)
      add(range, StepPart::kCompilation);
    else if (doing == HostActivity::kTransfer)
      add(range, StepPart::kHostToDevice);
    else if (doing == HostActivity::kExecutor && op && !rank.activities.empty())
      add(range, StepPart::kLaunch);
    else if (doing != HostActivity::kWrapper && op)
      add(range, StepPart::kHostCompute);
  };
  const std::vector<bool> copies_in = CallsThatCopyIn(rank);
  size_t next_call = 0;  // calls come in their order
  // One-time work begins with a call or an operator; the sweep takes all by start.
  auto one_time = rank.host->one_time.begin();
  const auto add_one_time = [&](int64_t until) {
    for (; one_time != rank.host->one_time.end() && one_time->start <= until; ++one_time)
      add(*one_time, StepPart::kOneTime);
  };
  ForEachByStart(
      rank,
      [&](const Activity& activity) {
        add_one_time(activity.start);
        add(activity, meaning.PartOf(activity));
      },
      [&](const Call& call) {
        add_one_time(call.start);
        const size_t index = next_call++;
        const bool copies = index < copies_in.size() && copies_in[index];
        if (const auto part = PartOfCall(call, copies)) add(call, *part);
      },
      [&](const HostRange& range) {
        add_one_time(range.start);
        add_range(range);
      });
  sweep.Finish();
}

}  // namespace

std::vector<StepBreakdown> BreakStepsDown(const RankActivity& rank, const StringTable& names,
                                          std::span<const StepWindow> windows) {
  std::vector<StepBreakdown> steps;
  SweepParts(
      rank, names, windows,
      [&](size_t s, const auto& time) { steps.push_back({windows[s], time}); },
      [](size_t, int64_t, int64_t) {});
  return steps;
}

IntervalSet StretchesOf(const RankActivity& rank, const StringTable& names,
                        std::span<const StepWindow> windows, std::span<const StepPart> parts) {
  IntervalSet stretches;
  SweepParts(
      rank, names, windows, [](size_t, const auto&) {},
      [&](size_t part, int64_t start, int64_t end) {
        if (std::ranges::find(parts, static_cast<StepPart>(part)) == parts.end()) return;
        if (!stretches.empty() && stretches.back().end == start)
          stretches.back().end = end;
        else
          stretches.push_back({start, end});
      });
  return stretches;
}

std::vector<std::array<int64_t, kStepRoles>> StepRoles(const RankActivity& rank,
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
      rank, [&](const Activity& activity) { add(activity, RoleOf(activity.kind)); },
      [&](const Call& call) { add(call, StepRole::kRuntime); }, add_range);
  sweep.Finish();
  return times;
}

}  // namespace stepscope
