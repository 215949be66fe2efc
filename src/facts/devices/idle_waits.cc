// Intersects the host's waits with the gaps between all activities of a trace.
#include "facts/devices/idle_waits.h"

#include <algorithm>

namespace stepscope {
namespace {

// How long no activities ran, between the first piece and the end of the last.
class IdleTime {
 public:
  explicit IdleTime(const RankActivity& rank)
      : work_(rank.activities), until_(work_.empty() ? 0 : work_.front().start) {}

  // ns before `time`. REQUIRES: times ascend from call to call.
  int64_t Before(int64_t time) {
    for (; next_ < work_.size() && work_[next_].start <= time; ++next_) {
      idle_ += std::max<int64_t>(work_[next_].start - until_, 0);
      until_ = std::max(until_, work_[next_].end);
    }
    return next_ == work_.size() ? idle_ : idle_ + std::max<int64_t>(time - until_, 0);
  }

 private:
  const ActivityList& work_;
  size_t next_ = 0;
  int64_t until_;     // when all activities before next_ had ended
  int64_t idle_ = 0;  // up to then
};

std::vector<bool> ThreadsThatLaunch(const RankActivity& rank) {
  std::vector<bool> launch(rank.host->threads.size());
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    if (call && LaunchesKernels(call->role)) launch[call->thread] = true;
  }
  return launch;
}

bool MayWait(CallRole role) {
  return role == CallRole::kStreamSync || role == CallRole::kDeviceSync ||
         role == CallRole::kEventSync || role == CallRole::kCopy;
}

}  // namespace

std::vector<IdleWait> FindIdleWaits(const RankActivity& rank, int64_t at_least) {
  IdleTime idle_time(rank);
  const auto launch = ThreadsThatLaunch(rank);
  std::vector<IdleWait> waits;
  int64_t until = kNoTime;
  const auto& calls = rank.host->calls;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    const Call& call = calls[c];
    if (!MayWait(call.role) || !launch[call.thread] || call.end <= until) continue;
    const int64_t from = std::max(call.start, until);
    const int64_t before = idle_time.Before(from);
    const int64_t idle = idle_time.Before(call.end) - before;
    until = call.end;
    if (idle > 0 && idle >= at_least) waits.push_back({c, idle});
  }
  return waits;
}

}  // namespace stepscope
