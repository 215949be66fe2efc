// Finds what the host does once: long first calls.
#include "facts/activity/one_time_work.h"

#include <unordered_set>

#include "base/sort_runs.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

// A launch takes microseconds; loading its code or creating a context takes tens of milliseconds.
constexpr int64_t kLong = 10 * kMillisecond;
// A launch that waits for room in a full queue is long too, but then its kernel starts much later.
constexpr int64_t kAtOnce = kMillisecond;

// Most traces have no such call: then nothing else is looked at.
template <class Wanted>
bool NoneOf(const HostCalls& calls, const Wanted& wanted) {
  for (const Call& call : calls) {
    if (wanted(call)) return false;
  }
  return true;
}

bool IsLong(const Call& call, CallRole role) {
  return call.role == role && call.duration() >= kLong;
}

void Add(HostOps& host, const Call& call) {
  host.one_time.push_back({.start = call.start, .end = call.end, .thread = call.thread});
}

// Whether an activity begins during the call: it may have waited for that.
bool DeviceWorks(const RankActivity& rank, const Call& call) {
  size_t low = 0, high = rank.activities.size();  // by start
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    (rank.activities[middle].start < call.start ? low : high) =
        rank.activities[middle].start < call.start ? middle + 1 : middle;
  }
  return low < rank.activities.size() && rank.activities[low].start < call.end;
}

// The first call of a name that is long while the device does nothing. Contexts are created in
// several calls, of libraries too, so there may have been activities before.
void FindContextCreation(RankActivity& rank) {
  HostOps& host = *rank.host;
  const auto is_long = [](const Call& call) { return IsLong(call, CallRole::kOther); };
  if (NoneOf(host.calls, is_long)) return;
  std::unordered_set<StringId> names;
  for (const Call& call : host.calls) {
    if (names.insert(call.name).second && is_long(call) && !DeviceWorks(rank, call))
      Add(host, call);
  }
}

// The first launch of a kernel that is long, where the kernel starts at once.
void FindModuleLoading(RankActivity& rank) {
  HostOps& host = *rank.host;
  if (NoneOf(host.calls, [](const Call& call) { return IsLong(call, CallRole::kLaunch); })) return;
  std::unordered_set<StringId> kernels;
  for (const Activity& activity : rank.activities) {
    if (!kernels.insert(activity.name).second) continue;
    const auto call = rank.CallOf(activity);
    if (call && IsLong(*call, CallRole::kLaunch) && activity.start < call->end + kAtOnce)
      Add(host, *call);
  }
}

}  // namespace

void FindOneTimeWork(RankActivity& rank) {
  FindContextCreation(rank);
  FindModuleLoading(rank);
  SortRuns(rank.host->one_time, {}, &OneTimeWork::start);
}

}  // namespace stepscope
