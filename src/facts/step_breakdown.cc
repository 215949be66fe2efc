// Activities of devices and hosts, swept over steps.
#include "facts/step_breakdown.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "facts/priority_sweep.h"
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
  Names(const RankWork& rank, const StringTable& names) : rank_(rank), names_(names) {}

  Activity OfWork(const Work& work) {
    if (work.kind == Kind::kCommunication) return Activity::kCollective;
    if (IsMemory(work.kind)) return ActivityOfCopy(PathOf(work));
    const auto [at, is_new] = precisions_.try_emplace(work.name, Precision::kUnknown);
    if (is_new) at->second = PrecisionOfKernel(names_[work.name]);
    if (at->second != Precision::kUnknown) return ActivityOfCompute(at->second);
    return ActivityOfCompute(PrecisionOfOperands(work));
  }

  HostActivity OfRange(StringId name) {
    const auto [at, is_new] = ranges_.try_emplace(name, HostActivity::kOther);
    if (is_new) at->second = HostActivityOfName(names_[name]);
    return at->second;
  }

 private:
  CopyPath PathOf(const Work& work) const {
    return work.detail == kNoDetail ? CopyPath::kOther
                                    : rank_.copies[static_cast<size_t>(work.detail)].path;
  }

  // Of the innermost operator around the launch that tells.
  Precision PrecisionOfOperands(const Work& work) const {
    const Call* call = rank_.CallOf(work);
    if (call == nullptr) return Precision::kUnknown;
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
  std::unordered_map<StringId, Precision> precisions_;
  std::unordered_map<StringId, HostActivity> ranges_;
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

}  // namespace

std::vector<StepWindow> StepWindows(const RankWork& rank) {
  std::vector<int64_t> last_work(rank.steps.size(), INT64_MIN);
  for (const Work& work : rank.work) {
    if (work.step == kNoStep) continue;
    int64_t& last = last_work[static_cast<size_t>(work.step)];
    last = std::max(last, work.end);
  }
  std::vector<StepWindow> windows;
  int64_t before = INT64_MIN;
  for (size_t s = 0; s < rank.steps.size(); ++s) {
    const Step& step = rank.steps[s];
    const StepWindow window{.number = step.number,
                            .start = std::max(step.start, before),
                            .end = std::max({step.end, last_work[s], before})};
    before = window.end;
    const bool worked = rank.work.empty() || last_work[s] != INT64_MIN;
    if (step.complete && worked && window.end > window.start) windows.push_back(window);
  }
  return windows;
}

std::vector<StepBreakdown> BreakStepsDown(const RankWork& rank, const StringTable& names,
                                          std::span<const StepWindow> windows) {
  Names meaning(rank, names);
  OwnedIntervals<kActivities> intervals;
  for (const Work& work : rank.work) intervals.Add(work.start, work.end, meaning.OfWork(work));
  for (const Call& call : rank.host->calls) {
    if (Launches(call.role)) intervals.Add(call.start, call.end, Activity::kLaunch);
  }
  const std::vector<bool> of_input = InputThreads(*rank.host);
  for (const HostRange& range : rank.host->ranges) {
    const HostActivity doing = meaning.OfRange(range.name);
    const bool op = range.kind == Kind::kOperator && !of_input[range.thread];
    if (doing == HostActivity::kInputWait)
      intervals.Add(range.start, range.end, Activity::kInputWait);
    else if (doing == HostActivity::kCompilation)
      intervals.Add(range.start, range.end, Activity::kCompilation);
    else if (doing == HostActivity::kTransfer)
      intervals.Add(range.start, range.end, Activity::kHostToDevice);
    else if (doing == HostActivity::kExecutor && op && !rank.work.empty())
      intervals.Add(range.start, range.end, Activity::kLaunch);
    else if (doing != HostActivity::kWrapper && op)
      intervals.Add(range.start, range.end, Activity::kHostCompute);
  }
  const auto times = SweepWindows<kActivities>(intervals.Sorted(), windows);
  std::vector<StepBreakdown> steps;
  for (size_t s = 0; s < windows.size(); ++s) steps.push_back({windows[s], times[s]});
  return steps;
}

std::vector<std::array<int64_t, kStepRoles>> StepRoles(const RankWork& rank,
                                                       const StringTable& names,
                                                       std::span<const StepWindow> windows) {
  OwnedIntervals<kStepRoles> intervals;
  for (const Work& work : rank.work) {
    StepRole role = StepRole::kKernel;
    if (work.kind == Kind::kCommunication) role = StepRole::kCommunication;
    if (work.kind == Kind::kMemcpy) role = StepRole::kMemcpy;
    if (work.kind == Kind::kMemset) role = StepRole::kMemset;
    intervals.Add(work.start, work.end, role);
  }
  for (const Call& call : rank.host->calls) intervals.Add(call.start, call.end, StepRole::kRuntime);
  Names meaning(rank, names);
  for (const HostRange& range : rank.host->ranges) {
    const HostActivity doing = meaning.OfRange(range.name);
    if (doing == HostActivity::kInputWait)
      intervals.Add(range.start, range.end, StepRole::kDataLoader);
    else if (range.kind == Kind::kOperator)  // wrappers too, where they were recorded as operators
      intervals.Add(range.start, range.end, StepRole::kCpuExec);
  }
  return SweepWindows<kStepRoles>(intervals.Sorted(), windows);
}

}  // namespace stepscope
