// Sweeps over the work, and adds up what runs at once between every two cuts.
#include "condense/blocks.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/intervals.h"
#include "base/stop.h"
#include "facts/steps/step_breakdown.h"

namespace stepscope {
namespace {

using Worker = std::pair<int32_t, Kind>;  // a step's computing, or copying
using Running = std::vector<Worker>;      // what goes on at once, ascending

struct Edge {
  int64_t time = 0;
  Worker worker;
  int change = 0;  // +1: one more of it runs
};

// Of a rank, within its communication, so that a partial stays small: of each device its share;
// collectives take room, too, and so do devices.
constexpr size_t kMostCutsWithin = 4096, kFewCutsWithin = 1024;

struct Extent {
  int64_t first = INT64_MAX, last = INT64_MIN;
  void Add(int64_t start, int64_t end) {
    first = std::min(first, start);
    last = std::max(last, end);
  }
};

class Blocks {
 public:
  Blocks(const RankActivity& rank, std::span<const uint32_t> activities, const KeptWaits& waits)
      : rank_(rank), activities_(activities), waits_(waits) {}

  DeviceBlocks Make() {
    Collect();
    CutAtExtents();
    CutWithinCommunication();
    CutAtLongIdle();
    CutAtWaits();
    std::ranges::sort(cuts_);
    const auto same = std::ranges::unique(cuts_);
    cuts_.erase(same.begin(), same.end());
    std::ranges::sort(edges_, {}, [](const Edge& e) { return std::tuple(e.time, e.worker); });
    Sweep();
    std::ranges::sort(
        blocks_, {}, [](const WorkBlock& b) { return std::tuple(b.start, b.end, b.kind, b.step); });
    return {std::move(blocks_), coarse_};
  }

 private:
  void Collect() {
    StopChecks checks;
    for (const uint32_t a : activities_) {
      checks.Turn();
      const Activity activity = rank_.activities[a];
      extents_[activity.step].Add(activity.start, activity.end);
      if (activity.kind == Kind::kCommunication) {
        cuts_.insert(cuts_.end(), {activity.start, activity.end});
        communication_.push_back({activity.start, activity.end});
        continue;
      }
      const Worker worker = WorkerOf(activity);
      if (activity.start == activity.end) moments_.push_back({activity.start, worker, 0});
      edges_.push_back({activity.start, worker, 1});
      edges_.push_back({activity.end, worker, -1});
    }
  }

  // So that what is first and last stays where it is.
  void CutAtExtents() {
    for (const StepWindow& window : StepWindows(rank_))
      cuts_.insert(cuts_.end(), {window.start, window.end});
    for (const auto& [step, extent] : extents_) {
      cuts_.insert(cuts_.end(), {extent.first, extent.first + 1, extent.last - 1, extent.last});
    }
    // Work that takes no time counts where nothing else says when a step begins or ends.
    for (const Edge& moment : moments_) {
      const Extent& extent = extents_[moment.worker.first];
      if (moment.time == extent.first || moment.time == extent.last)
        Add(moment.worker, moment.time, moment.time);
    }
  }

  // How long a collective waits while nothing computes is known only when all ranks are: there,
  // work stays where it was.
  void CutWithinCommunication() {
    const size_t most =
        (kMostCutsWithin - std::min(communication_.size(), kMostCutsWithin - kFewCutsWithin)) /
        std::max<size_t>(rank_.devices.size(), 1);
    const IntervalSet communication = UnionOf(std::move(communication_));
    std::vector<int64_t> within;
    for (const Edge& edge : edges_) {
      if (IsWithin(communication, edge.time)) within.push_back(edge.time);
    }
    coarse_ = within.size() > most;
    if (coarse_) within = LongestPauses(communication, most / 2);
    cuts_.insert(cuts_.end(), within.begin(), within.end());
  }

  static bool IsWithin(const IntervalSet& set, int64_t time) {
    const auto behind = std::ranges::upper_bound(set, time, {}, &Interval::start);
    return behind != set.begin() && time < std::prev(behind)->end;
  }

  // Where much runs beside communication, only the longest stretches in which nothing computes stay
  // where they were: a shorter one moves by less.
  std::vector<int64_t> LongestPauses(const IntervalSet& communication, size_t most) const {
    std::vector<Interval> computing;
    for (const uint32_t a : activities_) {
      const Activity activity = rank_.activities[a];
      if (activity.kind == Kind::kCompute) computing.push_back({activity.start, activity.end});
    }
    std::vector<Interval> pauses;
    int64_t since = INT64_MIN;
    for (const Interval& compute : UnionOf(std::move(computing))) {
      pauses.push_back({since, compute.start});
      since = compute.end;
    }
    pauses.push_back({since, INT64_MAX});
    std::vector<Interval> within = Intersection(pauses, communication);
    std::ranges::stable_sort(within, std::greater(),
                             [](const Interval& pause) { return pause.end - pause.start; });
    within.resize(std::min(within.size(), most));
    std::vector<int64_t> cuts;
    for (const Interval& pause : within) cuts.insert(cuts.end(), {pause.start, pause.end});
    return cuts;
  }

  // A replay has to know when in a step a device waited for its host. Shorter stretches would be
  // many, and matter less.
  void CutAtLongIdle() {
    constexpr int64_t kParts = 64;  // of a step, that a long one is longer than
    int64_t until = INT64_MAX;
    for (const uint32_t a : activities_) {
      const Activity activity = rank_.activities[a];
      const Extent& step = extents_[activity.step];
      if (activity.start > until && activity.start - until > (step.last - step.first) / kParts)
        cuts_.insert(cuts_.end(), {until, activity.start});
      until = until == INT64_MAX ? activity.end : std::max(until, activity.end);
    }
  }

  static Worker WorkerOf(const Activity& activity) {
    return {activity.step, IsMemory(activity.kind) ? Kind::kMemcpy : Kind::kCompute};
  }

  // Between these, a replay times work anew.
  void CutAtWaits() {
    for (const uint32_t a : activities_) {
      const KeptWait* wait = waits_.Of(a);
      if (wait == nullptr) continue;
      const Activity activity = rank_.activities[a];
      const bool communicates = activity.kind == Kind::kCommunication;
      if (communicates && !wait->of_block) continue;
      const int64_t cut = communicates ? wait->since : activity.start;
      cuts_.push_back(cut);
      apart_.insert(cut);
      if (!communicates) waiting_.try_emplace({WorkerOf(activity), activity.start}, wait->since);
    }
  }

  void Sweep() {
    size_t cut = 0;
    for (size_t e = 0; e < edges_.size();) {
      const int64_t time = edges_[e].time;
      while (cut < cuts_.size() && cuts_[cut] <= time) {
        SpendUntil(cuts_[cut]);
        PlaceBlocks(cuts_[cut++]);
      }
      SpendUntil(time);
      for (; e < edges_.size() && edges_[e].time == time; ++e) Change(edges_[e]);
    }
    while (cut < cuts_.size()) PlaceBlocks(cuts_[cut++]);
  }

  void Change(const Edge& edge) {
    int& count = counts_[edge.worker];
    count += edge.change;
    const auto place = std::ranges::lower_bound(running_, edge.worker);
    const bool there = place != running_.end() && *place == edge.worker;
    if (count > 0 && !there) running_.insert(place, edge.worker);
    if (count == 0 && there) running_.erase(place);
  }

  void SpendUntil(int64_t time) {
    if (time > now_ && !running_.empty()) {
      if (spent_.empty()) first_ = running_;
      spent_[running_] += time - now_;
      last_ = running_;
      idle_after_ = 0;
    } else if (time > now_ && now_ != INT64_MIN) {
      (spent_.empty() ? idle_before_ : idle_after_) += time - now_;
    }
    now_ = time;
  }

  // What went on since the last cut. What was idle before and after all work of the stretch stays
  // there, and so do what ran first and last; the rest lies between these, so that nothing seems to
  // wait for the end of a collective during which it ran, and work that waited begins when it did.
  void PlaceBlocks(int64_t next_cut) {
    if (!spent_.empty()) {
      int64_t& first = spent_[first_];
      const int64_t head = first_ == last_ ? (first + 1) / 2 : first;
      first -= head;
      const int64_t tail = std::exchange(spent_[last_], 0);
      int64_t at = last_cut_ + idle_before_;
      AddAll(first_, at, at + head);
      at += head;
      for (const auto& [running, time] : spent_) {
        AddAll(running, at, at + time);
        at += time;
      }
      AddAll(last_, next_cut - idle_after_ - tail, next_cut - idle_after_);
    }
    BeginStretch(next_cut);
  }

  void AddAll(const Running& running, int64_t start, int64_t end) {
    if (start == end) return;
    for (const Worker& worker : running) Add(worker, start, end);
  }

  void BeginStretch(int64_t cut) {
    spent_.clear();
    idle_before_ = idle_after_ = 0;
    last_cut_ = cut;
  }

  // Longer, where it goes on.
  void Add(const Worker& worker, int64_t start, int64_t end) {
    const auto [last, is_new] = last_block_.try_emplace(worker, blocks_.size());
    const bool goes_on = !is_new && blocks_[last->second].end == start && end > start;
    if (goes_on && !apart_.contains(start)) {
      blocks_[last->second].end = end;
      return;
    }
    last->second = blocks_.size();
    const auto wait = waiting_.find({worker, start});
    blocks_.push_back(
        {start, end, worker.first, worker.second, wait == waiting_.end() ? kNoTime : wait->second});
  }

  const RankActivity& rank_;
  std::span<const uint32_t> activities_;
  const KeptWaits& waits_;
  std::set<int64_t> apart_;                                // cuts across which no block goes on
  std::map<std::pair<Worker, int64_t>, int64_t> waiting_;  // by start: WorkBlock::waited_for
  std::vector<Edge> edges_, moments_;
  std::vector<int64_t> cuts_;
  IntervalSet communication_;
  std::map<int32_t, Extent> extents_;  // by step
  std::map<Worker, int> counts_;
  Running running_;
  std::map<Running, int64_t> spent_;          // ns since the last cut
  Running first_, last_;                      // what ran first and last since then
  int64_t idle_before_ = 0, idle_after_ = 0;  // ns since the last cut: before all work, after it
  int64_t now_ = INT64_MIN, last_cut_ = INT64_MIN;
  std::map<Worker, size_t> last_block_;
  std::vector<WorkBlock> blocks_;
  bool coarse_ = false;
};

}  // namespace

DeviceBlocks BlocksOf(const RankActivity& rank, std::span<const uint32_t> activities,
                      const KeptWaits& waits) {
  return Blocks(rank, activities, waits).Make();
}

}  // namespace stepscope
