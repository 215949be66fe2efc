// Cuts the graph of each rank into units, and finds ranks with the same ones.
#include "facts/derived/replay/own_work.h"

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

constexpr size_t kMostPeers = 16;  // that a unit is compared with, so that the cost is linear

// The n-th of its kind and name in a step.
constexpr uint64_t KeyOf(uint64_t what, uint32_t nth) { return what << 30 | nth; }

class Cutter {
 public:
  Cutter(const Facts& facts, const JobGraph& graph, const JobRank& job)
      : names_(*facts.names), graph_(graph), job_(job), rank_(*job.rank) {}

  OwnWork Cut() {
    const Dependencies& g = job_.graph;
    work_.unit_of.assign(g.edges.size(), kNowhere);
    FindRecordEnds();
    std::map<uint32_t, Gap> gaps;  // by thread, open ones
    for (uint32_t m = 1; m < g.times.size(); ++m) {
      for (uint32_t e = g.first_edge[m]; e < g.first_edge[m + 1]; ++e) {
        const Edge& edge = g.edges[e];
        if (edge.reason == Reason::kRunning && edge.activity != kNowhere) TakeActivity(e);
        // What does not decide is a wait for something else.
        const bool decides = e == g.first_edge[m];
        if (edge.reason == Reason::kThread && decides && !job_.lock_step) TakeHost(e, gaps);
      }
    }
    Sort();
    return std::move(work_);
  }

 private:
  struct Hash {
    size_t operator()(const std::pair<uint32_t, uint64_t>& of) const {
      return static_cast<size_t>((of.second ^ uint64_t{of.first} << 40) * 0x9e37'79b9'7f4a'7c15u);
    }
  };

  using Gap = std::vector<uint32_t>;  // edges of a thread in no operator or call

  // Where processors compute: when records of collectives and messages end.
  void FindRecordEnds() {
    if (!rank_.on_host) return;
    for (const Activity& activity : rank_.activities) {
      if (rank_.IsCollective(activity)) record_ends_.push_back(activity.end);
    }
    std::ranges::sort(record_ends_);
  }

  // A stretch in which a record ends may be a wait for it, seen or not.
  bool MayBeWait(int64_t since, int64_t until) const {
    const auto end = std::ranges::lower_bound(record_ends_, since);
    return end != record_ends_.end() && *end <= until;
  }

  uint32_t IndexOfStep(int32_t step) const {
    if (step == kNoStep) return kNowhere;
    const int64_t number = rank_.steps[static_cast<size_t>(step)].number;
    const auto at = std::ranges::lower_bound(graph_.steps, number);
    if (at == graph_.steps.end() || *at != number) return kNowhere;
    return static_cast<uint32_t>(at - graph_.steps.begin());
  }

  // Communication is a transfer, or a wait for somebody who is not known.
  void TakeActivity(uint32_t e) {
    const Edge& edge = job_.graph.edges[e];
    if (edge.bound == Bound::kCommunication) return;
    const Activity activity = rank_.activities[edge.activity];
    const uint32_t step = IndexOfStep(activity.step);
    Add({e}, step, UnitKind::kDevice, activity.name);
  }

  void TakeHost(uint32_t e, std::map<uint32_t, Gap>& gaps) {
    const Edge& edge = job_.graph.edges[e];
    if (edge.bound == Bound::kSync) return;
    Gap& gap = gaps[edge.thread];
    if (IsGap(edge)) return gap.push_back(e);
    const uint32_t step = StepOf(edge);
    if (!gap.empty()) {
      // Between two steps it belongs to that with most of it.
      const auto most =
          std::ranges::max_element(gap, {}, [&](uint32_t g) { return job_.graph.edges[g].lag; });
      const int64_t since = job_.graph.times[job_.graph.edges[gap.front()].from];
      if (!MayBeWait(since, job_.graph.times[edge.from]))
        Add(gap, StepOf(job_.graph.edges[*most]), UnitKind::kBefore, edge.name);
      gap.clear();
    }
    const int64_t began = job_.graph.times[edge.from];
    if (MayWait(names_[edge.name]) && MayBeWait(began, began + edge.lag)) return;
    Add({e}, step, UnitKind::kHost, edge.name);
  }

  bool IsGap(const Edge& edge) const {
    if (edge.name == kNoString) return true;
    if (edge.range == kNoRange) return false;  // a call
    const HostRange range = rank_.host->ranges[static_cast<size_t>(edge.range)];
    return range.kind != Kind::kOperator && range.name == edge.name;
  }

  uint32_t StepOf(const Edge& edge) const {
    return IndexOfStep(rank_.StepAt(job_.graph.times[edge.from]));
  }

  void Add(const std::vector<uint32_t>& edges, uint32_t step, UnitKind kind, StringId name) {
    if (step == kNowhere) return;
    const uint64_t what = uint64_t{name} << 2 | static_cast<uint64_t>(kind);
    OwnUnit unit{step, KeyOf(what, count_[{step, what}]++), kind, name, 0};
    for (const uint32_t e : edges) {
      unit.time = AddSaturated(unit.time, job_.graph.edges[e].lag);
      work_.unit_of[e] = static_cast<uint32_t>(work_.units.size());
    }
    work_.units.push_back(unit);
  }

  void Sort() {
    struct Place {
      uint64_t key = 0;
      uint32_t step = 0, unit = 0;
    };
    std::vector<Place> order;
    order.reserve(work_.units.size());
    for (const OwnUnit& unit : work_.units)
      order.push_back({unit.key, unit.step, static_cast<uint32_t>(order.size())});
    std::ranges::sort(order, {}, [](const Place& p) { return std::tuple(p.step, p.key); });
    std::vector<OwnUnit> sorted;
    sorted.reserve(order.size());
    std::vector<uint32_t> place(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      sorted.push_back(work_.units[order[i].unit]);
      place[order[i].unit] = i;
    }
    work_.units = std::move(sorted);
    for (uint32_t& unit : work_.unit_of) {
      if (unit != kNowhere) unit = place[unit];
    }
  }

  const StringTable& names_;
  const JobGraph& graph_;
  const JobRank& job_;
  const RankActivity& rank_;
  OwnWork work_;
  std::vector<int64_t> record_ends_;                                         // ascending
  std::unordered_map<std::pair<uint32_t, uint64_t>, uint32_t, Hash> count_;  // of a step, so far
};

// How often a rank has each unit, over its steps.
using Signature = std::vector<std::pair<uint64_t, int64_t>>;

Signature SignatureOf(const OwnWork& work) {
  std::vector<uint64_t> keys;
  for (const OwnUnit& unit : work.units) keys.push_back(unit.key);
  std::ranges::sort(keys);
  Signature signature;
  for (const uint64_t key : keys) {
    if (signature.empty() || signature.back().first != key) signature.emplace_back(key, 0);
    ++signature.back().second;
  }
  return signature;
}

bool AreAlike(const Signature& a, const Signature& b) {
  int64_t all_a = 0, all_b = 0, both = 0;
  for (const auto& [key, count] : a) all_a += count;
  for (const auto& [key, count] : b) all_b += count;
  auto y = b.begin();
  for (const auto& [key, count] : a) {
    while (y != b.end() && y->first < key) ++y;
    if (y != b.end() && y->first == key) both += std::min(count, y->second);
  }
  return both > 0 && 10 * both >= 9 * std::max(all_a, all_b);
}

// Ranks that are alike with the first of a class are its members.
void FindPeers(std::vector<OwnWork>& work) {
  std::vector<std::pair<Signature, std::vector<uint32_t>>> classes;
  for (uint32_t r = 0; r < work.size(); ++r) {
    Signature own = SignatureOf(work[r]);
    const auto same =
        std::ranges::find_if(classes, [&](const auto& c) { return AreAlike(c.first, own); });
    if (same == classes.end()) {
      classes.emplace_back(std::move(own), std::vector{r});
    } else {
      same->second.push_back(r);
    }
  }
  for (const auto& [signature, members] : classes) {
    for (const uint32_t r : members) work[r].peers = members;
  }
}

std::vector<OwnWork> CutWork(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  std::vector<OwnWork> work;
  for (const JobRank& job : graph.ranks) {
    StopIfAsked();
    work.push_back(Cutter(facts, graph, job).Cut());
  }
  FindPeers(work);
  return work;
}

}  // namespace

const OwnUnit* OwnWork::Find(uint32_t step, uint64_t key, size_t guess) const {
  const auto order = [](const OwnUnit& unit) { return std::pair(unit.step, unit.key); };
  if (guess < units.size() && order(units[guess]) == std::pair(step, key)) return &units[guess];
  const auto at = std::ranges::lower_bound(units, std::pair(step, key), {}, order);
  return at == units.end() || order(*at) != std::pair(step, key) ? nullptr : &*at;
}

int64_t TimeOfPeers(const std::vector<OwnWork>& work, uint32_t rank, const OwnUnit& unit) {
  const std::vector<uint32_t>& peers = work[rank].peers;
  const auto place = static_cast<size_t>(&unit - work[rank].units.data());
  std::array<int64_t, 2 * kMostPeers> times;
  size_t count = 0;
  const size_t apart = std::max<size_t>(1, peers.size() / kMostPeers);
  for (size_t i = 0; i < peers.size() && count < times.size(); i += apart) {
    const OwnUnit* other =
        peers[i] == rank ? nullptr : work[peers[i]].Find(unit.step, unit.key, place);
    if (other != nullptr) times[count++] = other->time;
  }
  if (count == 0) return unit.time;
  const std::span<int64_t> all(times.data(), count);
  std::ranges::sort(all);
  const int64_t low = all[(count - 1) / 2], high = all[count / 2];
  return low + (high - low) / 2;
}

const std::vector<OwnWork>& OwnWorkOf(const Facts& facts) { return facts.memo.Of<CutWork>(facts); }

}  // namespace stepscope
