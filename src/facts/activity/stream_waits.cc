// Joins records of waits with calls and with work.
#include "facts/activity/stream_waits.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "trace/stream_wait_names.h"

namespace stepscope {
namespace {

using StreamKey = std::pair<int64_t, int64_t>;  // device, and number

// The index of a stream, or as many as there are.
size_t IndexOf(const RankActivity& rank, const StreamKey& key) {
  const auto key_of = [](const Stream& s) { return StreamKey(s.device, s.stream); };
  const auto at = std::ranges::lower_bound(rank.streams, key, {}, key_of);
  const bool found = at != rank.streams.end() && key_of(*at) == key;
  return static_cast<size_t>((found ? at : rank.streams.end()) - rank.streams.begin());
}

// A stream's wait for an event concerns the next activity put on it, and waits for what had been
// put on the other stream when the event was recorded.
class OfTrace {
 public:
  explicit OfTrace(const RankActivity& rank) : rank_(rank), queues_(rank.streams.size() + 1) {
    for (uint32_t a = 0; a < rank.activities.size(); ++a) {
      const Activity activity = rank.activities[a];
      if (activity.launched != kNoTime && !rank.IsOfHost(activity))
        queues_[activity.stream].emplace_back(activity.launched, a);
    }
    for (Queue& queue : queues_) std::ranges::sort(queue);
    for (const Call& call : rank.host->calls) {
      if (call.role == CallRole::kEventRecord && call.correlation > 0)
        recorded_.emplace_back(call.correlation, call.start);
    }
    std::ranges::stable_sort(recorded_, {}, [](const auto& record) { return record.first; });
  }

  void Add(const SyncRecord& sync, std::vector<StreamWait>& waits) const {
    const Queue& own = queues_[IndexOf(rank_, {sync.device, sync.stream})];
    const Queue& other = queues_[IndexOf(rank_, {sync.device, sync.wait_stream})];
    const auto waiting = std::ranges::lower_bound(own, std::pair(sync.start, uint32_t{0}));
    const auto behind = std::ranges::lower_bound(other, std::pair(RecordedAt(sync), uint32_t{0}));
    if (waiting == own.end() || behind == other.begin()) return;
    waits.push_back({waiting->second, std::prev(behind)->second});
  }

 private:
  using Queue = std::vector<std::pair<int64_t, uint32_t>>;  // when launched, and what

  // When the event was recorded that is waited for.
  int64_t RecordedAt(const SyncRecord& sync) const {
    const auto at = std::ranges::lower_bound(recorded_, sync.wait_correlation, {},
                                             [](const auto& record) { return record.first; });
    const bool known = at != recorded_.end() && at->first == sync.wait_correlation;
    return known ? at->second : sync.start;
  }

  const RankActivity& rank_;
  std::vector<Queue> queues_;                          // of each stream, and one of none
  std::vector<std::pair<int64_t, int64_t>> recorded_;  // correlation of the call, when it began
};

class OfPartial {
 public:
  explicit OfPartial(const RankActivity& rank) : rank_(rank) {
    for (uint32_t a = 0; a < rank.activities.size(); ++a) {
      const Activity activity = rank.activities[a];
      starts_.emplace_back(activity.stream, activity.start, a);
      ends_.emplace_back(rank.streams[activity.stream].device, activity.end, a);
    }
    std::ranges::sort(starts_);
    std::ranges::sort(ends_);
  }

  void Add(const SyncRecord& sync, std::vector<StreamWait>& waits) const {
    const auto stream = static_cast<int64_t>(IndexOf(rank_, {sync.device, sync.stream}));
    const auto waiting = std::ranges::lower_bound(starts_, Place(stream, sync.end, 0));
    if (waiting == starts_.end() || !IsAt(*waiting, stream, sync.end)) return;
    auto awaited = std::ranges::lower_bound(ends_, Place(sync.device, sync.start, 0));
    const auto end = awaited + std::min(kMostAtOnce, ends_.end() - awaited);
    for (; awaited != end && IsAt(*awaited, sync.device, sync.start); ++awaited) {
      const uint32_t a = std::get<2>(*awaited), w = std::get<2>(*waiting);
      if (rank_.activities[a].stream != rank_.activities[w].stream) waits.push_back({w, a});
    }
  }

 private:
  using Place = std::tuple<int64_t, int64_t, uint32_t>;  // stream or device, time, activity

  // Work that ends at one moment on a device: more is in made up files alone, where each of many
  // waits would look at all of it.
  static constexpr std::ptrdiff_t kMostAtOnce = 256;

  static bool IsAt(const Place& place, int64_t where, int64_t time) {
    return std::get<0>(place) == where && std::get<1>(place) == time;
  }

  const RankActivity& rank_;
  std::vector<Place> starts_, ends_;
};

// What communication waits for, where calls alone were recorded: the kernel of another stream that
// was launched last before it, if nothing says that it did not wait.
class ByLaunches {
 public:
  explicit ByLaunches(const RankActivity& rank) : rank_(rank), last_(rank.streams.size(), kNoTime) {
    for (const Call& call : rank.host->calls) {
      if (call.role == CallRole::kStreamWait) calls_.push_back(call.start);
    }
    std::ranges::sort(calls_);
    for (uint32_t a = 0; a < rank.activities.size(); ++a) {
      const Activity activity = rank.activities[a];
      if (activity.launched != kNoTime && !rank.IsOfHost(activity))
        launches_.emplace_back(activity.launched, a);
    }
    std::ranges::sort(launches_);
  }

  std::vector<StreamWait> Find() {
    std::vector<StreamWait> waits;
    std::vector<uint32_t> latest(rank_.devices.size(), UINT32_MAX);  // kernel of each device
    for (const auto& [launched, a] : launches_) {
      const Activity activity = rank_.activities[a];
      uint32_t& kernel = latest[rank_.streams[activity.stream].device_index];
      if (activity.kind == Kind::kCommunication && kernel != UINT32_MAX &&
          MayWait(activity, kernel))
        waits.push_back({a, kernel});
      if (activity.kind == Kind::kCompute) kernel = a;
      last_[activity.stream] = launched;
    }
    return waits;
  }

 private:
  bool MayWait(const Activity& activity, uint32_t kernel) const {
    const Activity awaited = rank_.activities[kernel];
    const auto call = rank_.CallOf(activity);
    if (awaited.stream == activity.stream || awaited.end > activity.start) return false;
    if (!call || call->role == CallRole::kGraphLaunch) return false;
    if (calls_.empty()) return true;
    const auto wait = std::ranges::lower_bound(calls_, last_[activity.stream]);
    return wait != calls_.end() && *wait <= activity.launched;
  }

  const RankActivity& rank_;
  std::vector<int64_t> calls_;                          // in which a stream is let wait, ascending
  std::vector<std::pair<int64_t, uint32_t>> launches_;  // when, and what
  std::vector<int64_t> last_;                           // launch of each stream
};

template <class Finder>
std::vector<StreamWait> WaitsBy(const Finder& finder, const RankActivity& rank,
                                const StringTable& names) {
  std::vector<StreamWait> waits;
  for (const SyncRecord& sync : rank.syncs) {
    if (IsStreamWait(sync, names) || names[sync.name] == kStreamWaitOfSome) finder.Add(sync, waits);
  }
  return waits;
}

}  // namespace

bool IsStreamWait(const SyncRecord& sync, const StringTable& names) {
  return names[sync.name] == kStreamWait;
}

bool RecordsStreamWaits(const RankActivity& rank, const StringTable& names) {
  return std::ranges::any_of(rank.syncs,
                             [&](const SyncRecord& sync) { return IsStreamWait(sync, names); });
}

std::vector<StreamWait> StreamWaitsOf(const RankActivity& rank, const StringTable& names) {
  if (rank.condensed) return WaitsBy(OfPartial(rank), rank, names);
  if (RecordsStreamWaits(rank, names)) return WaitsBy(OfTrace(rank), rank, names);
  return ByLaunches(rank).Find();
}

}  // namespace stepscope
