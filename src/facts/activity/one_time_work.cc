// Finds what the host does once: long first calls, and the tuning of convolutions.
#include "facts/activity/one_time_work.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/intervals.h"
#include "base/robust.h"
#include "base/sort_runs.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

// A launch takes microseconds; loading its code or creating a context takes tens of milliseconds.
constexpr int64_t kLong = 10 * kMillisecond;
// Loading a little code takes some; then the device must have nothing else to do.
constexpr int64_t kLongLaunch = 3 * kMillisecond;
// A launch that waits for room in a full queue is long too, but then its kernel starts much later.
constexpr int64_t kAtOnce = kMillisecond;
// Convolutions are set up and tuned once per shape: most of many calls are not.
constexpr size_t kEnoughCalls = 3;
constexpr int64_t kFarLonger = 20;  // than the median

// Most traces have no such call: then nothing else is looked at.
template <class Wanted>
bool NoneOf(const HostCalls& calls, const Wanted& wanted) {
  for (const Call& call : calls) {
    if (wanted(call)) return false;
  }
  return true;
}

// What creates a context may be any call but a launch; cudaFree(0) is often made for that.
bool MayCreateContext(const Call& call) {
  return (call.role == CallRole::kOther || call.role == CallRole::kAllocate) &&
         call.duration() >= kLong;
}

void Add(HostOps& host, const Call& call) {
  host.one_time.push_back({.start = call.start, .end = call.end, .thread = call.thread});
}

// Whether an activity begins in this time: a call may have waited for that.
bool DeviceWorks(const RankActivity& rank, const Interval& time) {
  size_t low = 0, high = rank.activities.size();  // by start
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    (rank.activities[middle].start < time.start ? low : high) =
        rank.activities[middle].start < time.start ? middle + 1 : middle;
  }
  return low < rank.activities.size() && rank.activities[low].start < time.end;
}

// The first call of a name that is long while the device does nothing. Contexts are created in
// several calls, of libraries too, so there may have been activities before.
void FindContextCreation(RankActivity& rank) {
  HostOps& host = *rank.host;
  if (NoneOf(host.calls, MayCreateContext)) return;
  std::unordered_set<StringId> names;
  for (const Call& call : host.calls) {
    if (names.insert(call.name).second && MayCreateContext(call) &&
        !DeviceWorks(rank, {call.start, call.end}))
      Add(host, call);
  }
}

bool IsLongLaunch(const Call& call) {
  return call.role == CallRole::kLaunch && call.duration() >= kLongLaunch;
}

// The first launch of a kernel that is long, where the kernel starts at once.
void FindModuleLoading(RankActivity& rank) {
  HostOps& host = *rank.host;
  if (NoneOf(host.calls, IsLongLaunch)) return;
  std::unordered_set<StringId> kernels;
  for (const Activity& activity : rank.activities) {
    if (!kernels.insert(activity.name).second) continue;
    const auto call = rank.CallOf(activity);
    if (!call || !IsLongLaunch(*call) || activity.start >= call->end + kAtOnce) continue;
    // The kernel itself may begin before its launch has returned.
    if (call->duration() >= kLong || !DeviceWorks(rank, {call->start, activity.start}))
      Add(host, *call);
  }
}

// The names of convolutions that the recording has.
std::vector<StringId> ConvolutionsIn(const StringTable& names) {
  constexpr auto kConvolutions = std::to_array<std::string_view>(
      {"aten::cudnn_convolution", "aten::cudnn_convolution_relu",
       "aten::cudnn_convolution_add_relu", "aten::cudnn_convolution_transpose",
       "aten::cudnn_convolution_backward_input", "aten::cudnn_convolution_backward_weight",
       "aten::miopen_convolution", "aten::miopen_convolution_transpose",
       "aten::convolution_backward"});
  std::vector<StringId> found;
  for (const std::string_view name : kConvolutions) {
    if (const StringId id = names.Find(name); id != kNoString) found.push_back(id);
  }
  return found;
}

bool IsCallOf(const HostRange& range, const std::vector<StringId>& names) {
  return range.kind == Kind::kOperator && std::ranges::find(names, range.name) != names.end();
}

// By operator that has enough calls, the median of their durations.
std::unordered_map<StringId, int64_t> MediansOf(const HostOps& host,
                                                const std::vector<StringId>& names) {
  std::unordered_map<StringId, std::vector<int64_t>> times;
  for (const HostRange& range : host.ranges) {
    if (IsCallOf(range, names)) times[range.name].push_back(range.end - range.start);
  }
  std::unordered_map<StringId, int64_t> medians;
  for (auto& [name, own] : times) {
    if (own.size() < kEnoughCalls) continue;
    medians[name] = UpperMedian(own);
  }
  return medians;
}

// The library sets itself up, and tries algorithms, in calls that take far longer than most of the
// operator. A launch that waits for room in a full queue is long too, but then the device works.
void FindTuning(RankActivity& rank, const StringTable& names) {
  const std::vector<StringId> convolutions = ConvolutionsIn(names);
  if (convolutions.empty()) return;
  HostOps& host = *rank.host;
  const auto medians = MediansOf(host, convolutions);
  for (const HostRange& range : host.ranges) {
    if (!IsCallOf(range, convolutions)) continue;
    const auto median = medians.find(range.name);
    const int64_t time = range.end - range.start;
    if (median == medians.end() || time < kLong || time / kFarLonger < median->second) continue;
    host.one_time.push_back({.start = range.start, .end = range.end, .thread = range.thread});
  }
}

}  // namespace

void FindOneTimeWork(RankActivity& rank, const StringTable& names) {
  FindContextCreation(rank);
  FindModuleLoading(rank);
  FindTuning(rank, names);
  SortRuns(rank.host->one_time, {}, &OneTimeWork::start);
}

}  // namespace stepscope
