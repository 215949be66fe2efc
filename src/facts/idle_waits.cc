// Lays the host's waits over the gaps between all work of a recording.
#include "facts/idle_waits.h"

#include <algorithm>

namespace stepscope {
namespace {

// Stretches without any work, between the first piece and the end of the last.
struct Gap {
  int64_t start = 0, end = 0;
  int64_t before = 0;  // ns of the gaps before
};

std::vector<Gap> GapsOf(const RankWork& rank) {
  std::vector<Gap> gaps;
  int64_t until = rank.work.empty() ? 0 : rank.work.front().start, sum = 0;
  for (const Work& work : rank.work) {
    if (work.start > until) {
      gaps.push_back({until, work.start, sum});
      sum += work.start - until;
    }
    until = std::max(until, work.end);
  }
  return gaps;
}

// ns of gaps before `time`.
int64_t IdleBefore(const std::vector<Gap>& gaps, int64_t time) {
  const auto after = std::ranges::upper_bound(gaps, time, {}, &Gap::start);
  if (after == gaps.begin()) return 0;
  const Gap& gap = *std::prev(after);
  return gap.before + std::min(time, gap.end) - gap.start;
}

std::vector<bool> ThreadsThatLaunch(const RankWork& rank) {
  std::vector<bool> launch(rank.host->threads.size());
  for (const Work& work : rank.work) {
    const Call* call = rank.CallOf(work);
    if (call != nullptr && LaunchesKernels(call->role)) launch[call->thread] = true;
  }
  return launch;
}

bool MayWait(CallRole role) {
  return role == CallRole::kStreamSync || role == CallRole::kDeviceSync ||
         role == CallRole::kEventSync || role == CallRole::kCopy;
}

}  // namespace

std::vector<IdleWait> FindIdleWaits(const RankWork& rank, int64_t at_least) {
  const auto gaps = GapsOf(rank);
  const auto launch = ThreadsThatLaunch(rank);
  std::vector<IdleWait> waits;
  int64_t until = kNoTime;
  const auto& calls = rank.host->calls;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    const Call& call = calls[c];
    if (!MayWait(call.role) || !launch[call.thread] || call.end <= until) continue;
    const int64_t from = std::max(call.start, until);
    const int64_t idle = IdleBefore(gaps, call.end) - IdleBefore(gaps, from);
    until = call.end;
    if (idle > 0 && idle >= at_least) waits.push_back({c, idle});
  }
  return waits;
}

}  // namespace stepscope
