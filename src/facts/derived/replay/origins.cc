// Asks replays what each suspect costs.
#include "facts/derived/replay/origins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "base/change_point.h"
#include "base/number_ranges.h"
#include "base/period.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/replay/job_lags.h"
#include "facts/derived/replay/join_ranks.h"
#include "facts/derived/replay/replay_error.h"
#include "facts/derived/replay/suspects.h"

namespace stepscope {
namespace {

constexpr double kBeyondError = 2.5;  // standard errors of what it saves
constexpr double kMostSteps = 0.75;   // that it saves something in
constexpr double kNeeded = 0.25;      // of what several save together, that is lost without one
constexpr size_t kLeastSteps = 3;
constexpr size_t kLeastRegular = 4;  // late steps of a host: load makes three regular by chance

using Lengths = std::vector<int64_t>;  // ns, of each of JobGraph::steps
using SuspectSet = std::vector<const Suspect*>;

double SumOf(const Lengths& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

Lengths Less(const Lengths& before, const Lengths& now) {
  Lengths saved;
  for (size_t s = 0; s < now.size(); ++s) saved.push_back(SubtractSaturated(before[s], now[s]));
  return saved;
}

class OriginFinder {
 public:
  explicit OriginFinder(const Facts& facts)
      : facts_(facts), names_(*facts.names), graph_(JobGraphOf(facts)), work_(graph_.work) {}

  Origins Find() {
    out_.recorded = StepLengths(graph_, RecordedTimes(graph_));
    if (graph_.steps.size() < kLeastSteps || graph_.Contradicts()) return std::move(out_);
    const ReplayError& error = ReplayErrorOf(facts_);
    if (!error.Prices(std::nullopt)) return std::move(out_);
    usual_step_ = Median(std::vector<double>(out_.recorded.begin(), out_.recorded.end()));
    std::vector<Suspect> suspects = FindSuspects(graph_, work_, usual_step_);
    std::vector<SuspectSet> open = SetsOf(suspects);
    SuspectSet taken;
    if (open.empty()) return std::move(out_);
    least_cost_ = usual_step_ * std::max(kLeastCost, error.OfPrice(std::nullopt));
    const UnchangedReplay& unchanged = UnchangedReplayOf(facts_);
    waits_ = unchanged.waits;
    Lengths before = known_[{}] = unchanged.steps;
    while (!open.empty()) {
      const auto [set, now] = TakeMost(open, taken);
      const Suspect* most = set.front();
      std::erase(open, set);
      taken.insert(taken.end(), set.begin(), set.end());
      const Lengths saved = Less(before, now), unmended = std::exchange(before, now);
      // Chance makes all ranks slower now and then.
      const bool by_chance = most->as_before && !out_.found.empty() &&
                             2 * SumOf(saved) <= SumOf(out_.found.front().saved);
      if (by_chance) continue;
      const bool costs = Costs(*most, unmended, saved);
      if (!costs && most->first == 0) {
        Suspect& own = suspects[static_cast<size_t>(most - suspects.data())];
        own.first = FirstCostly(saved).value_or(0);
      }
      if (costs || Costs(*most, unmended, saved)) {
        AddOrigin(set, taken);
      } else if (SumOf(saved) < kLeastCost * SumOf(out_.recorded)) {
        for (const Suspect* suspect : set) harmless_.emplace_back(suspect, saved);
      }
    }
    for (const auto& [suspect, saved] : harmless_) {
      if (std::ranges::find(costly_, suspect) != costly_.end()) continue;
      const OriginRank late = Described(*suspect);
      out_.harmless.push_back({.late = late, .since = late.since, .saved = saved});
    }
    return std::move(out_);
  }

 private:
  // Ranks that are late with most of their machine are taken out at once: one of them alone saves
  // nothing.
  std::vector<SuspectSet> SetsOf(const std::vector<Suspect>& suspects) const {
    std::vector<SuspectSet> sets;
    std::map<std::string_view, size_t> machines;  // their sets
    for (const Suspect& suspect : suspects) {
      if (!suspect.of_machine) {
        sets.push_back({&suspect});
        continue;
      }
      const auto [known, is_new] =
          machines.try_emplace(graph_.ranks[suspect.rank].rank->machine, sets.size());
      if (is_new) sets.emplace_back();
      sets[known->second].push_back(&suspect);
    }
    return sets;
  }

  ChangedLags LagsWithout(const SuspectSet& taken) const {
    ChangedLags lags(graph_);
    for (const Suspect* suspect : taken) lags.TakeUnits(suspect->rank, suspect->expected);
    return lags;
  }

  // Each set is replayed once.
  const Lengths& LengthsWithout(SuspectSet taken) {
    std::ranges::sort(taken);
    const auto [known, is_new] = known_.try_emplace(std::move(taken));
    if (is_new) known->second = StepLengths(graph_, ReplayJob(graph_, LagsWithout(known->first)));
    return known->second;
  }

  // Those whose change leaves the shortest steps, and these.
  std::pair<SuspectSet, Lengths> TakeMost(const std::vector<SuspectSet>& open,
                                          const SuspectSet& taken) {
    std::pair<SuspectSet, Lengths> most;
    for (const SuspectSet& set : open) {
      SuspectSet all = taken;
      all.insert(all.end(), set.begin(), set.end());
      const Lengths& with = LengthsWithout(std::move(all));
      if (most.first.empty() || SumOf(with) < SumOf(most.second)) most = {set, with};
    }
    return most;
  }

  // Since when it costs something, where its own work tells no step; an index.
  std::optional<size_t> FirstCostly(const Lengths& saved) const {
    const auto change = FindChangePoint(saved, kLeastCost * usual_step_);
    if (!change || change->Difference() <= 0) return std::nullopt;
    return change->at;
  }

  // `unmended`: what steps take without those that cost more; `saved`: how much shorter they then
  // are without this one.
  bool Costs(const Suspect& suspect, const Lengths& unmended, const Lengths& saved) const {
    // Of several devices another may have been waited for before. Operators of processors take
    // longer and shorter by what else runs there.
    const bool alone = graph_.ranks.size() == 1 || graph_.ranks[suspect.rank].rank->on_host;
    if (suspect.as_before && alone && !IsWhyLonger(suspect.first, unmended, saved)) return false;
    return CostsSince(suspect, saved) || CostsInSome(suspect, saved);
  }

  // Whether steps were shorter before, as they must have been where nobody else was waited for, and
  // by half of what is saved since or more.
  bool IsWhyLonger(size_t first, const Lengths& unmended, const Lengths& saved) const {
    if (first == 0) return true;
    const auto median = [](auto from, auto to) { return Median(std::vector<double>(from, to)); };
    const auto at = static_cast<std::ptrdiff_t>(first);
    const double before = median(unmended.begin(), unmended.begin() + at);
    const double since = median(unmended.begin() + at, unmended.end());
    const double less = median(saved.begin() + at, saved.end());
    return since - before >= std::max(least_cost_, less / 2);
  }

  // In the steps in which it is far beyond its peers, on the average of all.
  bool CostsInSome(const Suspect& suspect, const Lengths& of_steps) const {
    if (suspect.late.size() < kLeastSteps) return false;
    const bool until_end = suspect.late.back() + 1 == of_steps.size();
    const bool in_a_row = suspect.late.back() - suspect.late.front() + 1 == suspect.late.size();
    if (until_end && in_a_row) return false;  // it is late since a step
    if (MayBeLoad(suspect)) return false;
    double saved = 0, useful = 0;
    for (const size_t s : suspect.late) {
      saved += static_cast<double>(of_steps[s]);
      useful += of_steps[s] > 0 ? 1 : 0;
    }
    return saved >= least_cost_ * static_cast<double>(of_steps.size()) &&
           useful >= kMostSteps * static_cast<double>(suspect.late.size());
  }

  // What else runs on a machine makes each rank late in some steps, but in no regular ones.
  bool MayBeLoad(const Suspect& suspect) const {
    if (!graph_.ranks[suspect.rank].rank->on_host) return false;
    const auto period = FindPeriod(
        graph_.steps, BeyondExpected(graph_, work_[suspect.rank], suspect.expected), least_cost_);
    return !period || period->members.size() < kLeastRegular;
  }

  bool CostsSince(const Suspect& suspect, const Lengths& of_steps) const {
    return CostsIn(std::span(of_steps).subspan(suspect.first)) ||
           CostsUntilAnother(suspect, of_steps);
  }

  bool CostsIn(std::span<const int64_t> of_steps) const {
    std::vector<double> saved(of_steps.begin(), of_steps.end());
    const double usual = Median(saved), steps = static_cast<double>(saved.size());
    const auto useful = std::ranges::count_if(saved, [](double s) { return s > 0; });
    // Of a median: 1.25 times that of a mean.
    const double error = 1.25 * kDeviationPerMad * MadOf(saved) / std::sqrt(steps);
    return usual >= least_cost_ && usual >= kBeyondError * error &&
           static_cast<double>(useful) >= kMostSteps * steps;
  }

  // Whether a rank that is late in all steps costs something until another is late, too, behind
  // which it hides from then on.
  bool CostsUntilAnother(const Suspect& suspect, const Lengths& of_steps) const {
    if (suspect.late.size() < of_steps.size() ||
        SumOf(of_steps) < least_cost_ * static_cast<double>(of_steps.size()))
      return false;
    const auto change = FindChangePoint(of_steps, least_cost_);
    return change && change->Difference() < 0 && CostsIn(std::span(of_steps).first(change->at));
  }

  // What of the rank takes longer, and since when.
  OriginRank Described(const Suspect& suspect) const {
    OriginRank late{
        .rank = suspect.rank, .as_before = suspect.as_before, .of_one_name = suspect.of_one_name};
    if (suspect.first > 0) late.since = graph_.steps[suspect.first];
    const OwnWork& work = work_[suspect.rank];
    std::map<WorkName, int64_t> names;
    for (const UnitRun& run : work.runs) {
      if (run.step < suspect.first) continue;
      int64_t& sum = names[run.of];
      for (uint32_t u = run.first; u < run.first + run.count; ++u)
        sum = AddSaturated(sum, SubtractSaturated(work.times[u], suspect.expected[u]));
    }
    for (const auto& [of, beyond] : names) {
      late.excess = AddSaturated(late.excess, beyond);
      if (of.kind == UnitKind::kDevice) late.of_devices = AddSaturated(late.of_devices, beyond);
    }
    const auto steps = static_cast<int64_t>(graph_.steps.size() - suspect.first);
    late.excess /= steps;
    late.of_devices /= steps;
    const auto most =
        std::ranges::max_element(names, {}, [](const auto& name) { return name.second; });
    // Of a partial the name is that of a block.
    if (most != names.end() && most->second > 0 && !work.of_partial) late.of = most->first;
    return late;
  }

  // Those before that cost nothing alone may be needed: of two ranks that are as late, mending one
  // saves nothing.
  void AddOrigin(const SuspectSet& set, const SuspectSet& taken) {
    const Suspect& suspect = *set.front();
    SuspectSet with = costly_;
    with.insert(with.end(), set.begin(), set.end());
    const Lengths before = LengthsWithout(costly_), all = LengthsWithout(taken);
    Origin origin{.late = Described(suspect)};
    for (const Suspect* other : std::span(set).subspan(1)) origin.with.push_back(Described(*other));
    origin.since = origin.late.since;
    if (taken.size() > with.size()) {
      for (const Suspect* other : taken) {
        if (std::ranges::find(with, other) != with.end()) continue;
        SuspectSet rest = taken;
        std::erase(rest, other);
        const double lost = SumOf(LengthsWithout(rest)) - SumOf(all);
        if (lost <= kNeeded * (SumOf(before) - SumOf(all))) continue;
        with.push_back(other);
        origin.with.push_back(Described(*other));
      }
    }
    if (AreMost(suspect, origin)) return;
    const ChangedLags lags = LagsWithout(with);
    const JobTimes times = ReplayJob(graph_, lags);
    origin.saved = Less(before, StepLengths(graph_, times));
    if (!Costs(suspect, before, origin.saved)) return;
    if (CostsSince(suspect, origin.saved))
      SetSince(suspect, with, origin);
    else
      SetSteps(suspect, origin);
    KeepAsBefore(before, origin);
    if (!ReplayErrorOf(facts_).Prices(origin.since)) return;
    origin.alone =
        costly_.empty()
            ? origin.saved
            : Less(LengthsWithout({}),
                   LengthsWithout(SuspectSet(with.begin() + std::ssize(costly_), with.end())));
    std::vector<int64_t> waits = WaitsIn(graph_, times);
    origin.waits_saved = Less(waits_, waits);
    waits_ = std::move(waits);
    origin.change = ChangeOf(std::span(with).subspan(costly_.size()));
    costly_ = std::move(with);
    first_costly_ = std::min(first_costly_, graph_.FirstSince(origin.since));
    origin.path = CriticalPathSince(graph_, lags, times, first_costly_);
    out_.found.push_back(std::move(origin));
  }

  // A rank alone saves at most what its steps take longer than those before: what takes less since
  // then, as the sum over its threads has it, does not come back.
  void KeepAsBefore(const Lengths& recorded, Origin& origin) const {
    const size_t first = graph_.FirstSince(origin.since);
    if (graph_.ranks.size() > 1 || !origin.late.as_before || first == 0) return;
    const auto at = recorded.begin() + static_cast<std::ptrdiff_t>(first);
    const auto usual = ToInt64(Median(std::vector<double>(recorded.begin(), at)));
    for (size_t s = first; s < recorded.size(); ++s) {
      const int64_t longer = std::max<int64_t>(SubtractSaturated(recorded[s], usual), 0);
      origin.saved[s] = std::min(origin.saved[s], longer);
    }
  }

  // Whether most ranks with the same work are late: then none is.
  bool AreMost(const Suspect& suspect, const Origin& origin) const {
    const std::vector<uint32_t>& peers = work_[suspect.rank].peers;
    const auto late = 1 + std::ranges::count_if(origin.with, [&](const OriginRank& other) {
                        return std::ranges::binary_search(peers, other.rank);
                      });
    return peers.size() > 1 && 2 * late > std::ssize(peers);
  }

  void SetSteps(Suspect suspect, Origin& origin) const {
    suspect.first = 0;
    origin.late = Described(suspect);
    origin.since.reset();
    for (const size_t s : suspect.late) origin.in_steps.push_back(graph_.steps[s]);
  }

  // Of several that are late together, since the first of them is, if they save something since.
  void SetSince(const Suspect& suspect, const SuspectSet& with, Origin& origin) const {
    for (size_t i = costly_.size(); i < with.size(); ++i) {
      Suspect earlier = suspect;
      earlier.first = with[i]->first;
      if (earlier.first == 0 || earlier.first >= suspect.first) continue;
      const int64_t since = graph_.steps[earlier.first];
      if (CostsSince(earlier, origin.saved))
        origin.since = std::min(origin.since.value_or(since), since);
    }
  }

  // Ranks of which the same changes are one change.
  std::string ChangeOf(std::span<const Suspect* const> suspects) const {
    std::vector<std::pair<std::string, std::vector<int64_t>>> changes;
    for (const Suspect* suspect : suspects) {
      const std::string becomes = ChangeOf(*suspect);
      auto same = std::ranges::find(changes, becomes, [](const auto& c) { return c.first; });
      if (same == changes.end()) same = changes.insert(same, {becomes, {}});
      same->second.push_back(graph_.ranks[suspect->rank].rank->rank);
    }
    std::string text;
    for (auto& [becomes, ranks] : changes) {
      std::ranges::sort(ranks);
      text += fmt::format("{}{} {}: {}", text.empty() ? "" : "; ",
                          ranks.size() == 1 ? "rank" : "ranks", NumberRanges(ranks, ".."), becomes);
    }
    return text;
  }

  std::string ChangeOf(const Suspect& suspect) const {
    std::string part = "all";
    if (suspect.of_one_name) {
      const std::string_view what = suspect.of.kind == UnitKind::kDevice ? "kernel"
                                    : suspect.of.kind == UnitKind::kHost ? "operator"
                                                                         : "before";
      part = fmt::format("{} {}", what, names_[suspect.of.name]);
    }
    const std::string as = suspect.as_before
                               ? fmt::format("before step {}", graph_.steps[suspect.first])
                               : std::string("median of ranks");
    return fmt::format("{} = {}", part, as);
  }

  const Facts& facts_;
  const StringTable& names_;
  const JobGraph& graph_;
  const std::vector<OwnWork>& work_;
  double usual_step_ = 0;
  double least_cost_ = 0;  // ns per step, of an origin
  SuspectSet costly_;
  size_t first_costly_ = SIZE_MAX;  // the first step that any of them is late in
  std::vector<int64_t> waits_;      // of each of JobGraph::members, without `costly_`
  std::map<SuspectSet, Lengths> known_;
  std::vector<std::pair<const Suspect*, Lengths>> harmless_;
  Origins out_;
};

Origins FindOrigins(const Facts& facts) { return OriginFinder(facts).Find(); }

}  // namespace

const Origin* Origins::Of(const JobGraph& graph, int64_t rank) const {
  const auto is_rank = [&](uint32_t r) { return graph.ranks[r].rank->rank == rank; };
  const auto at = std::ranges::find_if(found, [&](const Origin& origin) {
    return is_rank(origin.late.rank) ||
           std::ranges::any_of(origin.with, is_rank, &OriginRank::rank);
  });
  return at == found.end() ? nullptr : &*at;
}

const Origins& OriginsOf(const Facts& facts) { return facts.memo.Of<FindOrigins>(facts); }

}  // namespace stepscope
