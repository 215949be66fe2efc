// Groups waits by the names of their calls.
#include "facts/devices/idle_wait_sums.h"

#include <map>
#include <utility>

#include "facts/devices/idle_waits.h"

namespace stepscope {
namespace {

// The innermost operator or annotation around a call.
StringId Around(const RankActivity& rank, const Call& call, Kind kind) {
  const int32_t at = rank.host->FindAround(
      call.range, [kind](const HostRange& range) { return range.kind == kind; });
  return at == kNoRange ? kNoString : rank.host->ranges[static_cast<size_t>(at)].name;
}

}  // namespace

std::vector<CondensedWait> IdleWaitSums(const RankActivity& rank, int64_t at_least) {
  if (rank.condensed) return rank.condensed->waits;
  std::map<StringId, CondensedWait> sums;
  std::map<StringId, Call> longest;
  for (const IdleWait& wait : FindIdleWaits(rank, at_least)) {
    const Call& call = rank.host->calls[wait.call];
    CondensedWait& sum = sums[call.name];
    ++sum.calls;
    sum.time += wait.time;
    if (wait.time <= sum.longest) continue;
    sum.longest = wait.time;
    longest[call.name] = call;
  }
  std::vector<CondensedWait> waits;
  for (auto& [name, sum] : sums) {
    sum.call = name;
    sum.op = Around(rank, longest[name], Kind::kOperator);
    sum.annotation = Around(rank, longest[name], Kind::kAnnotation);
    waits.push_back(sum);
  }
  return waits;
}

}  // namespace stepscope
