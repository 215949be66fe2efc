// Keeps of each work that waited the wait that ended last.
#include "condense/waits.h"

#include <algorithm>
#include <tuple>

#include "facts/activity/stream_waits.h"

namespace stepscope {
namespace {

constexpr int64_t kMostOfBlocks = 1024;  // of a rank, so that a partial stays small

bool Communicates(const Activity& activity) { return activity.kind == Kind::kCommunication; }

// Records that contradict what ran when are left out, as a replay would.
bool IsKept(const RankActivity& rank, const Activity& waiting, const Activity& awaited) {
  const bool across = rank.streams[waiting.stream].device == rank.streams[awaited.stream].device &&
                      waiting.stream != awaited.stream;
  return across && awaited.end <= waiting.start && (Communicates(waiting) || Communicates(awaited));
}

}  // namespace

KeptWaits WaitsToKeep(const RankActivity& rank, const StringTable& names) {
  std::vector<KeptWait> kept;
  for (const StreamWait& wait : StreamWaitsOf(rank, names)) {
    const Activity waiting = rank.activities[wait.waiting], awaited = rank.activities[wait.awaited];
    if (IsKept(rank, waiting, awaited))
      kept.push_back({wait.waiting, awaited.end, !Communicates(awaited)});
  }
  std::ranges::sort(kept, [](const KeptWait& a, const KeptWait& b) {
    return std::tuple(a.waiting, -a.since, a.of_block) <
           std::tuple(b.waiting, -b.since, b.of_block);
  });
  const auto same = std::ranges::unique(kept, {}, &KeptWait::waiting);
  kept.erase(same.begin(), same.end());
  const auto is_of_block = [&](const KeptWait& wait) {
    return !Communicates(rank.activities[wait.waiting]);
  };
  const bool all =
      RecordsStreamWaits(rank, names) && std::ranges::count_if(kept, is_of_block) <= kMostOfBlocks;
  if (!all) std::erase_if(kept, is_of_block);
  return {std::move(kept), all};
}

const KeptWait* KeptWaits::Of(uint32_t activity) const {
  const auto at = std::ranges::lower_bound(waits, activity, {}, &KeptWait::waiting);
  return at == waits.end() || at->waiting != activity ? nullptr : &*at;
}

}  // namespace stepscope
