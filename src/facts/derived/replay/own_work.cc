// Cuts the graph of each rank into units, and finds ranks with the same ones.
#include "facts/derived/replay/own_work.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/intervals.h"
#include "base/saturate.h"
#include "base/stop.h"

namespace stepscope {
namespace {

class Cutter {
 public:
  Cutter(const RankActivity& rank, const StringTable& names, const Dependencies& graph,
         bool lock_step, std::span<const int64_t> steps)
      : names_(names),
        rank_(rank),
        graph_(graph),
        lock_step_(lock_step),
        gaps_(rank.host->threads.size()),
        steps_of_job_(steps.size()) {
    for (const Step& step : rank.steps) steps_.push_back(IndexOf(steps, step));
  }

  OwnWork Cut() {
    if (rank_.condensed) TakeExecutions(*rank_.condensed);
    work_.unit_of.assign(graph_.edges.size(), kNowhere);
    units_.reserve(graph_.times.size());  // each ends in a moment of its own
    FindRecords();
    for (uint32_t m = 1; m < graph_.times.size(); ++m) {
      for (uint32_t e = graph_.first_edge[m]; e < graph_.first_edge[m + 1]; ++e) {
        const Edge& edge = graph_.edges[e];
        if (edge.reason == Reason::kRunning && edge.activity != kNowhere) TakeActivity(e);
        // What does not decide is a wait for something else.
        const bool decides = e == graph_.first_edge[m];
        if (edge.reason == Reason::kThread && decides && !lock_step_) TakeHost(e);
        if (work_.of_partial && decides) TakeGap(e);
      }
    }
    Sort();
    return std::move(work_);
  }

 private:
  using Gap = std::vector<uint32_t>;  // edges of a thread in no operator or call
  struct Unit {
    uint32_t step = 0;
    WorkName of;
    int64_t time = 0;
  };

  static uint32_t IndexOf(std::span<const int64_t> steps, const Step& step) {
    const auto at = std::ranges::lower_bound(steps, step.number);
    if (at == steps.end() || *at != step.number) return kNowhere;
    return static_cast<uint32_t>(at - steps.begin());
  }

  // The records of collectives and messages.
  void FindRecords() {
    if (!rank_.HasRecords() || !rank_.host->hand_overs.empty()) return;  // or waits are known
    for (const Activity& activity : rank_.activities) {
      if (rank_.IsCollective(activity)) records_.push_back({activity.start, activity.end});
    }
    std::ranges::sort(records_, {}, &Interval::end);
  }

  // A stretch in which a record ends may be a wait for it, seen or not; so may one after which it
  // ends soon.
  bool MayBeWait(int64_t since, int64_t until) const {
    const int64_t latest = AddSaturated(until, kWokenAtMost);
    for (auto record = std::ranges::lower_bound(records_, since, {}, &Interval::end);
         record != records_.end() && record->end <= latest; ++record) {
      const int64_t woken = WokenBeforeEnd(record->start, record->end, since);
      if (SubtractSaturated(record->end, woken) <= until) return true;
    }
    return false;
  }

  uint32_t IndexOfStep(int32_t step) const {
    if (steps_.empty()) return steps_of_job_ == 0 ? kNowhere : 0;
    return step == kNoStep ? kNowhere : steps_[static_cast<size_t>(step)];
  }

  // Communication is a transfer, or a wait for somebody who is not known.
  void TakeActivity(uint32_t e) {
    const Edge& edge = graph_.edges[e];
    if (edge.bound == Bound::kCommunication) return;
    const Activity activity = rank_.activities[edge.activity];
    const uint32_t step = IndexOfStep(activity.step);
    Add({&e, 1}, step, {activity.name, UnitKind::kDevice});
  }

  void TakeHost(uint32_t e) {
    const Edge& edge = graph_.edges[e];
    if (edge.bound == Bound::kSync) return;
    Gap& gap = gaps_[edge.thread];
    if (IsGap(edge)) return gap.push_back(e);
    const uint32_t step = StepOf(edge);
    if (!gap.empty()) {
      const auto most =
          std::ranges::max_element(gap, {}, [&](uint32_t g) { return graph_.edges[g].lag; });
      const int64_t since = graph_.times[graph_.edges[gap.front()].from];
      const bool loads = graph_.edges[*most].bound == Bound::kDataLoading;
      if (loads || !MayBeWait(since, graph_.times[edge.from])) AddGap(gap, edge.name);
      gap.clear();
    }
    const int64_t began = graph_.times[edge.from];
    if (rank_.HasRecords() && names_[edge.name].contains("c10d")) return;  // it may wait in there
    if (MayWait(names_[edge.name]) && MayBeWait(began, began + edge.lag)) return;
    Add({&e, 1}, step, {edge.name, UnitKind::kHost});
  }

  // Between two steps each has its part, so that what a rank does at the end of its step is
  // compared with what others do there, however little.
  void AddGap(std::span<const uint32_t> gap, StringId before) {
    while (!gap.empty()) {
      const uint32_t step = StepOf(graph_.edges[gap.front()]);
      const auto other =
          std::ranges::find_if(gap, [&](uint32_t e) { return StepOf(graph_.edges[e]) != step; });
      const auto part = gap.first(static_cast<size_t>(other - gap.begin()));
      Add(part, step, {before, UnitKind::kBefore});
      gap = gap.subspan(part.size());
    }
  }

  void TakeExecutions(const CondensedRecording& recording) {
    work_.of_partial = true;
    for (const CondensedKernel& kernel : recording.kernels) {
      if (kernel.device < 0 && kernel.kind != Kind::kCommunication)
        work_.executions.emplace_back(kernel.name, kernel.count);
    }
    std::ranges::sort(work_.executions);
  }

  // Of a partial: nothing else says that the host was late.
  void TakeGap(uint32_t e) {
    const Edge& edge = graph_.edges[e];
    if (edge.bound != Bound::kCpu || edge.activity == kNowhere) return;
    Add({&e, 1}, IndexOfStep(rank_.activities[edge.activity].step), {0, UnitKind::kBefore});
  }

  // Where all of a name in a step are one unit, the unit that there is already.
  uint32_t UnitFor(uint32_t step, const WorkName& of) {
    const auto next = static_cast<uint32_t>(units_.size());
    if (work_.of_partial) {
      const auto [known, is_new] = merged_.try_emplace(std::pair(step, of), next);
      if (!is_new) return known->second;
    }
    units_.push_back({step, of, 0});
    return next;
  }

  bool IsGap(const Edge& edge) const {
    if (edge.name == kNoString) return true;
    if (edge.range == kNoRange) return false;  // a call
    const HostRange range = rank_.host->ranges[static_cast<size_t>(edge.range)];
    return range.kind != Kind::kOperator && range.name == edge.name;
  }

  uint32_t StepOf(const Edge& edge) const {
    return IndexOfStep(rank_.StepAt(graph_.times[edge.from]));
  }

  void Add(std::span<const uint32_t> edges, uint32_t step, const WorkName& of) {
    if (step == kNowhere) return;
    const uint32_t at = UnitFor(step, of);
    for (const uint32_t e : edges) {
      units_[at].time = AddSaturated(units_[at].time, graph_.edges[e].lag);
      work_.unit_of[e] = at;
    }
  }

  // By step, then name and kind, then the order they were found in.
  void Sort() {
    constexpr size_t kKinds = 3;
    std::vector<uint32_t> order(units_.size());
    std::iota(order.begin(), order.end(), 0);
    order =
        Sorted(order, kKinds, [&](uint32_t u) { return static_cast<size_t>(units_[u].of.kind); });
    order = Sorted(order, names_.size(), [&](uint32_t u) { return units_[u].of.name; });
    order = Sorted(order, steps_of_job_, [&](uint32_t u) { return units_[u].step; });
    work_.times.reserve(order.size());
    std::vector<uint32_t> place(order.size());
    for (uint32_t i = 0; i < order.size(); ++i) {
      const Unit& unit = units_[order[i]];
      place[order[i]] = i;
      work_.times.push_back(unit.time);
      if (work_.runs.empty() || work_.runs.back().Place() != std::pair(unit.step, unit.of))
        work_.runs.push_back({.step = unit.step, .of = unit.of, .first = i});
      ++work_.runs.back().count;
    }
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
  const RankActivity& rank_;
  const Dependencies& graph_;
  const bool lock_step_;
  std::vector<uint32_t> steps_;  // of each of the rank's, the index into JobGraph::steps
  std::vector<Gap> gaps_;        // of each thread, the open one
  size_t steps_of_job_ = 0;
  std::vector<Unit> units_;
  std::map<std::pair<uint32_t, WorkName>, uint32_t> merged_;  // of a partial, by step and name
  OwnWork work_;
  std::vector<Interval> records_;  // by end
};

// How many units of each name a rank has in its steps.
struct Signature {
  struct Name {
    WorkName of;
    std::vector<uint32_t> counts;  // one per step that has any, descending
  };
  std::vector<Name> names;  // ascending
  int64_t all = 0;
};

Signature SignatureOfPartial(const OwnWork& work) {
  Signature signature;
  for (const auto& [name, count] : work.executions) {
    const auto runs = static_cast<uint32_t>(std::min<int64_t>(count, UINT32_MAX));
    signature.names.push_back({{name, UnitKind::kDevice}, {runs}});
    signature.all += runs;
  }
  return signature;
}

Signature SignatureOf(const OwnWork& work) {
  if (work.of_partial) return SignatureOfPartial(work);
  std::vector<std::pair<WorkName, uint32_t>> counts;
  for (const UnitRun& run : work.runs) counts.emplace_back(run.of, run.count);
  std::ranges::sort(counts, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  });
  Signature signature{.all = std::ssize(work.times)};
  for (const auto& [of, count] : counts) {
    if (signature.names.empty() || signature.names.back().of != of)
      signature.names.push_back({of, {}});
    signature.names.back().counts.push_back(count);
  }
  return signature;
}

// How many units both have, step by step, those with most first.
int64_t Shared(const Signature::Name& a, const Signature::Name& b) {
  int64_t shared = 0;
  for (size_t i = 0; i < std::min(a.counts.size(), b.counts.size()); ++i)
    shared += std::min(a.counts[i], b.counts[i]);
  return shared;
}

bool AreAlike(const Signature& a, const Signature& b) {
  const int64_t all = std::max(a.all, b.all);
  if (10 * std::min(a.all, b.all) < 9 * all) return false;
  int64_t both = 0;
  auto y = b.names.begin();
  for (const Signature::Name& x : a.names) {
    while (y != b.names.end() && y->of < x.of) ++y;
    if (y != b.names.end() && y->of == x.of) both += Shared(x, *y);
  }
  return both > 0 && 10 * both >= 9 * all;
}

bool HasSameUnits(const OwnWork& a, const OwnWork& b) {
  if (a.of_partial || b.of_partial)
    return a.of_partial && b.of_partial && !a.executions.empty() && a.executions == b.executions;
  return !a.runs.empty() && std::ranges::equal(a.runs, b.runs, [](const auto& x, const auto& y) {
    return x.Place() == y.Place() && x.count == y.count;
  });
}

}  // namespace

OwnWork CutWork(const RankActivity& rank, const StringTable& names, const Dependencies& graph,
                bool lock_step, std::span<const int64_t> steps) {
  return Cutter(rank, names, graph, lock_step, steps).Cut();
}

// Ranks that are alike with the first of a class are its members.
void FindPeers(std::span<OwnWork> work) {
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

}  // namespace stepscope
