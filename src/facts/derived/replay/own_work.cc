// Cuts the graph of each rank into units, and finds ranks with the same ones.
#include "facts/derived/replay/own_work.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

// Below them a key has the kind and name of its unit, in them how many of these came before it in
// the step.
constexpr int kNthBits = 30, kKindBits = 2;

class Cutter {
 public:
  Cutter(const Facts& facts, const JobGraph& graph, const JobRank& job)
      : names_(*facts.names),
        job_(job),
        rank_(*job.rank),
        gaps_(rank_.host->threads.size()),
        steps_of_job_(graph.steps.size()) {
    for (const Step& step : rank_.steps) steps_.push_back(IndexOf(graph, step));
  }

  OwnWork Cut() {
    const Dependencies& g = job_.graph;
    work_.unit_of.assign(g.edges.size(), kNowhere);
    work_.units.reserve(g.times.size());  // each ends in a moment of its own
    FindRecordEnds();
    for (uint32_t m = 1; m < g.times.size(); ++m) {
      for (uint32_t e = g.first_edge[m]; e < g.first_edge[m + 1]; ++e) {
        const Edge& edge = g.edges[e];
        if (edge.reason == Reason::kRunning && edge.activity != kNowhere) TakeActivity(e);
        // What does not decide is a wait for something else.
        const bool decides = e == g.first_edge[m];
        if (edge.reason == Reason::kThread && decides && !job_.lock_step) TakeHost(e);
      }
    }
    Sort();
    return std::move(work_);
  }

 private:
  using Gap = std::vector<uint32_t>;  // edges of a thread in no operator or call

  static uint32_t IndexOf(const JobGraph& graph, const Step& step) {
    const auto at = std::ranges::lower_bound(graph.steps, step.number);
    if (at == graph.steps.end() || *at != step.number) return kNowhere;
    return static_cast<uint32_t>(at - graph.steps.begin());
  }

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
    return step == kNoStep ? kNowhere : steps_[static_cast<size_t>(step)];
  }

  // Communication is a transfer, or a wait for somebody who is not known.
  void TakeActivity(uint32_t e) {
    const Edge& edge = job_.graph.edges[e];
    if (edge.bound == Bound::kCommunication) return;
    const Activity activity = rank_.activities[edge.activity];
    const uint32_t step = IndexOfStep(activity.step);
    Add({&e, 1}, step, UnitKind::kDevice, activity.name);
  }

  void TakeHost(uint32_t e) {
    const Edge& edge = job_.graph.edges[e];
    if (edge.bound == Bound::kSync) return;
    Gap& gap = gaps_[edge.thread];
    if (IsGap(edge)) return gap.push_back(e);
    const uint32_t step = StepOf(edge);
    if (!gap.empty()) {
      // Between two steps it belongs to that with most of it.
      const auto most =
          std::ranges::max_element(gap, {}, [&](uint32_t g) { return job_.graph.edges[g].lag; });
      const int64_t since = job_.graph.times[job_.graph.edges[gap.front()].from];
      const bool loads = job_.graph.edges[*most].bound == Bound::kDataLoading;
      if (loads || !MayBeWait(since, job_.graph.times[edge.from]))
        Add(gap, StepOf(job_.graph.edges[*most]), UnitKind::kBefore, edge.name);
      gap.clear();
    }
    const int64_t began = job_.graph.times[edge.from];
    if (MayWait(names_[edge.name]) && MayBeWait(began, began + edge.lag)) return;
    Add({&e, 1}, step, UnitKind::kHost, edge.name);
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

  void Add(std::span<const uint32_t> edges, uint32_t step, UnitKind kind, StringId name) {
    if (step == kNowhere) return;
    const uint64_t what = uint64_t{name} << kKindBits | static_cast<uint64_t>(kind);
    OwnUnit unit{step, what << kNthBits, kind, name, 0};
    for (const uint32_t e : edges) {
      unit.time = AddSaturated(unit.time, job_.graph.edges[e].lag);
      work_.unit_of[e] = static_cast<uint32_t>(work_.units.size());
    }
    work_.units.push_back(unit);
  }

  // By step, then name and kind, then the order they were found in, which numbers them.
  void Sort() {
    const std::vector<OwnUnit>& units = work_.units;
    std::vector<uint32_t> order(units.size());
    std::iota(order.begin(), order.end(), 0);
    order = Sorted(order, names_.size() << kKindBits,
                   [&](uint32_t u) { return units[u].key >> kNthBits; });
    order = Sorted(order, steps_of_job_, [&](uint32_t u) { return units[u].step; });
    std::vector<OwnUnit> sorted;
    sorted.reserve(order.size());
    std::vector<uint32_t> place(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      OwnUnit& unit = sorted.emplace_back(units[order[i]]);
      place[order[i]] = i;
      if (i == 0) continue;
      const OwnUnit& before = sorted[i - 1];
      const bool another =
          before.step == unit.step && before.name == unit.name && before.kind == unit.kind;
      if (another) unit.key = before.key + 1;
    }
    work_.units = std::move(sorted);
    for (uint32_t& unit : work_.unit_of) {
      if (unit != kNowhere) unit = place[unit];
    }
  }

  // By what `key_of` says of each, which is below `limit`; linear, and stable.
  template <class KeyOf>
  static std::vector<uint32_t> Sorted(const std::vector<uint32_t>& order, size_t limit,
                                      const KeyOf& key_of) {
    std::vector<uint32_t> next(limit + 1, 0);  // where in the result the next of each key goes
    for (const uint32_t u : order) ++next[key_of(u) + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<uint32_t> sorted(order.size());
    for (const uint32_t u : order) sorted[next[key_of(u)]++] = u;
    return sorted;
  }

  const StringTable& names_;
  const JobRank& job_;
  const RankActivity& rank_;
  std::vector<uint32_t> steps_;  // of each of the rank's, the index into JobGraph::steps
  std::vector<Gap> gaps_;        // of each thread, the open one
  size_t steps_of_job_ = 0;
  OwnWork work_;
  std::vector<int64_t> record_ends_;  // ascending
};

// How often a rank has each unit, over its steps.
struct Signature {
  std::vector<std::pair<uint64_t, int64_t>> counts;  // by key
  int64_t all = 0;
};

Signature SignatureOf(const OwnWork& work) {
  std::vector<uint64_t> keys;
  keys.reserve(work.units.size());
  for (const OwnUnit& unit : work.units) keys.push_back(unit.key);
  std::ranges::sort(keys);
  Signature signature{.counts = {}, .all = std::ssize(keys)};
  for (const uint64_t key : keys) {
    if (signature.counts.empty() || signature.counts.back().first != key)
      signature.counts.emplace_back(key, 0);
    ++signature.counts.back().second;
  }
  return signature;
}

// Ends as soon as too many units of `a` are none of `b`.
bool AreAlike(const Signature& a, const Signature& b) {
  const int64_t all = std::max(a.all, b.all);
  int64_t both = 0, rest = a.all;
  auto y = b.counts.begin();
  for (const auto& [key, count] : a.counts) {
    if (10 * (both + rest) < 9 * all) return false;
    while (y != b.counts.end() && y->first < key) ++y;
    if (y != b.counts.end() && y->first == key) both += std::min(count, y->second);
    rest -= count;
  }
  return both > 0 && 10 * both >= 9 * all;
}

bool HasSameUnits(const OwnWork& a, const OwnWork& b) {
  return !a.units.empty() && std::ranges::equal(a.units, b.units, [](const auto& x, const auto& y) {
    return x.step == y.step && x.key == y.key;
  });
}

// Ranks that are alike with the first of a class are its members.
void FindPeers(std::vector<OwnWork>& work) {
  struct Class {
    Signature signature;  // of its first member
    std::vector<uint32_t> members;
  };
  std::vector<Class> classes;
  for (uint32_t r = 0; r < work.size(); ++r) {
    StopIfAsked();
    auto own = std::ranges::find_if(
        classes, [&](const Class& c) { return HasSameUnits(work[c.members.front()], work[r]); });
    if (own == classes.end()) {
      Signature signature = SignatureOf(work[r]);
      own = std::ranges::find_if(classes,
                                 [&](const Class& c) { return AreAlike(c.signature, signature); });
      if (own == classes.end()) own = classes.insert(own, {std::move(signature), {}});
    }
    own->members.push_back(r);
  }
  for (const Class& of : classes) {
    for (const uint32_t r : of.members) work[r].peers = of.members;
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

const std::vector<OwnWork>& OwnWorkOf(const Facts& facts) { return facts.memo.Of<CutWork>(facts); }

}  // namespace stepscope
