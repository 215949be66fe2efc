// Finds what the host does once: long first calls.
#include "facts/activity/one_time_work.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "base/sort_runs.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

// A launch takes microseconds; loading its code or creating a context takes tens of milliseconds.
constexpr int64_t kLong = 10 * kMillisecond;
// A launch that waits for room in a full queue is long too, but then its kernel starts much later.
constexpr int64_t kAtOnce = kMillisecond;

int64_t FirstActivity(const RankActivity& rank) {
  return rank.activities.empty() ? INT64_MAX : rank.activities.front().start;
}

}  // namespace

std::string_view OneTimeName(OneTime what) {
  constexpr auto kNames =
      std::to_array<std::string_view>({"graph capture", "context creation", "module loading"});
  static_assert(kNames.size() == static_cast<size_t>(OneTime::kCount));
  return kNames[static_cast<size_t>(what)];
}

void FindOneTimeWork(RankActivity& rank) {
  HostOps& host = *rank.host;
  const auto add = [&](const Call& call, OneTime what) {
    host.one_time.push_back(
        {.start = call.start, .end = call.end, .thread = call.thread, .what = what});
  };
  const int64_t first_activity = FirstActivity(rank);
  std::unordered_set<StringId> names;
  for (const Call& call : host.calls) {
    if (call.start >= first_activity) break;
    const bool is_first = names.insert(call.name).second;
    if (is_first && call.role == CallRole::kOther && call.duration() >= kLong)
      add(call, OneTime::kContextCreation);
  }
  std::unordered_set<StringId> kernels;
  for (const Activity& activity : rank.activities) {
    if (!kernels.insert(activity.name).second) continue;
    const auto call = rank.CallOf(activity);
    if (call && call->role == CallRole::kLaunch && call->duration() >= kLong &&
        activity.start < call->end + kAtOnce) {
      add(*call, OneTime::kModuleLoading);
    }
  }
  SortRuns(host.one_time, {}, &OneTimeWork::start);
}

}  // namespace stepscope
