// Looks for rises in each part, then for ranks that share them.
#include "facts/derived/lateness/work_rises.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/growth.h"
#include "base/rise.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/lateness/stages.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace {

constexpr double kMoreCalls = 1.05, kLarger = 1.1;  // times as many, and as large
// Time between two operators grows with whatever else runs there, but not threefold in each step.
constexpr double kLonger = 3;
// Calling an operator takes up to so many times what the operator takes. More is a function that
// calls it among other things.
constexpr double kAround = 4;
constexpr double kExact = 2;          // what is exact counts so much more than what is measured
constexpr double kOfSpell = 3;        // times what a rise takes at least
constexpr double kMostOfSpell = 0.5;  // of what takes longer meanwhile
// Of the steps of a rank, that are high where the others' are not.
constexpr size_t kSome = 4, kOthers = 4, kFewestHigh = 4;
constexpr double kInAll = 7.0 / 8;
// Where a minority of ranks takes turns: of the steps, those in which one has its turn, and of
// these those in which several have; and how much of the most each has. Load hits ranks alike.
constexpr double kTurns = 0.75, kSameSteps = 0.2, kEven = 0.5;

double MedianOf(std::span<const int64_t> values) {
  return values.empty() ? 0 : Median(std::vector<double>(values.begin(), values.end()));
}

class OfRank {
 public:
  OfRank(const StepParts& parts, double least) : parts_(parts), least_(least) {}

  std::optional<WorkRise> Find() {
    for (const auto& [name, op] : parts_.operators) {
      AddCalls(name, op);
      AddSize(name, op);
    }
    for (const auto& [neighbours, times] : parts_.between) AddBetween(neighbours, times);
    return std::move(best_);
  }

 private:
  std::span<const int64_t> Values(const std::vector<int64_t>& values) const { return values; }

  void AddCalls(StringId name, const OperatorSteps& op) {
    const auto rise = FindRise(op.calls, {.least = 1, .times = kMoreCalls});
    if (!rise) return;
    double before = MedianOf(Values(op.time).first(rise->at));
    double since = MedianOf(Values(op.time).subspan(rise->at));
    // Calls that were there before may take longer by chance.
    const double more = rise->Difference() / rise->since;
    before = std::max(before, since - more * since);
    const double around = RiseAround(name, rise->at);
    if (around <= kAround * (since - before)) since += around;
    Add({.kind = WorkKind::kCalls, .name = name}, *rise, before, since);
  }

  // Of the time before and after each call, while nothing else runs.
  double RiseAround(StringId name, size_t at) const {
    double rise = 0;
    for (const auto& [neighbours, times] : parts_.between) {
      if (neighbours.first != name && neighbours.second != name) continue;
      rise +=
          std::max(MedianOf(Values(times).subspan(at)) - MedianOf(Values(times).first(at)), 0.0);
    }
    return rise;
  }

  void AddSize(StringId name, const OperatorSteps& op) {
    std::vector<int64_t> sizes;
    for (size_t s = 0; s < op.calls.size(); ++s)
      sizes.push_back(op.calls[s] > 0 ? op.elements[s] / op.calls[s] : 0);
    if (std::ranges::find(sizes, 0) != sizes.end()) return;
    const auto rise = FindRise(sizes, {.least = 1, .times = kLarger});
    if (!rise) return;
    Add({.kind = WorkKind::kSize, .name = name}, *rise, MedianOf(Values(op.time).first(rise->at)),
        MedianOf(Values(op.time).subspan(rise->at)));
  }

  void AddBetween(const Neighbours& neighbours, const std::vector<int64_t>& times) {
    const WorkRise work{
        .kind = WorkKind::kBetween, .name = neighbours.second, .previous = neighbours.first};
    auto found = FindSpell(times, {.least = kOfSpell * least_, .times = kLonger});
    if (!found || !IsMostOfIt(*found)) found = FindRise(times, {.least = least_, .times = kLonger});
    if (found) Add(work, *found, found->before, found->since);
  }

  // Load comes and goes, too, but makes all of a rank longer: whether this stretch is most of what
  // takes longer meanwhile.
  bool IsMostOfIt(const Rise& spell) const {
    double more = 0;
    const auto add = [&](std::span<const int64_t> times) {
      std::vector<int64_t> others(times.begin(), times.end());
      const auto at = others.begin() + static_cast<std::ptrdiff_t>(spell.at);
      others.erase(at, at + static_cast<std::ptrdiff_t>(spell.end - spell.at));
      const auto meanwhile = times.subspan(spell.at, spell.end - spell.at);
      more += std::max(MedianOf(meanwhile) - MedianOf(others), 0.0);
    };
    for (const auto& [name, op] : parts_.operators) add(op.time);
    for (const auto& [neighbours, times] : parts_.between) add(times);
    return spell.Difference() >= kMostOfSpell * more;
  }

  // Where it is the largest so far.
  void Add(WorkRise rise, const Rise& at, double before, double since) {
    const double weight = (since - before) * (rise.kind == WorkKind::kBetween ? 1 : kExact);
    if (since - before < least_ || weight <= weight_) return;
    weight_ = weight;
    rise.rank = parts_.rank;
    rise.ranks = {parts_.rank};
    rise.ended = at.end < parts_.steps.size();
    if (!rise.ended) rise.since = parts_.steps[at.at];
    rise.last_before = parts_.steps[at.at - 1];
    const auto steps = std::span(parts_.steps).subspan(at.at, at.end - at.at);
    rise.steps = {steps.begin(), steps.end()};
    rise.before = RoundToInt64(before);
    rise.after = RoundToInt64(since);
    rise.all_steps = std::ssize(parts_.steps);
    best_ = std::move(rise);
  }

  const StepParts& parts_;
  const double least_;
  std::optional<WorkRise> best_;
  double weight_ = 0;
};

bool IsSame(const WorkRise& a, const WorkRise& b) {
  return std::tie(a.kind, a.name, a.previous, a.ended) ==
             std::tie(b.kind, b.name, b.previous, b.ended) &&
         a.since.has_value() == b.since.has_value() &&
         (!a.since || a.last_before == b.since || b.last_before == a.since || a.since == b.since);
}

// Makes one of what several ranks have more of since the same step.
void Join(std::vector<WorkRise>& rises, WorkRise rise) {
  const auto same = std::ranges::find_if(rises, [&](const WorkRise& r) { return IsSame(r, rise); });
  if (same == rises.end()) {
    rises.push_back(std::move(rise));
    return;
  }
  std::vector<int64_t> ranks = same->ranks;
  ranks.insert(ranks.end(), rise.ranks.begin(), rise.ranks.end());
  std::ranges::sort(ranks);
  if (rise.Difference() > same->Difference()) *same = std::move(rise);
  same->ranks = std::move(ranks);
}

// Adds ranks whose calls of the same operator, or elements of its inputs, rise by half as much or
// more at the same step, though their time scatters too much to be found alone.
void AddOthers(const std::vector<StepParts>& ranks, WorkRise& rise) {
  if (rise.kind == WorkKind::kBetween || !rise.since) return;
  const auto more = [&](const StepParts& parts) {
    const auto at = parts.operators.find(rise.name);
    if (at == parts.operators.end()) return 0.0;
    const OperatorSteps& op = at->second;
    const std::span<const int64_t> amounts = rise.kind == WorkKind::kCalls ? op.calls : op.elements;
    const auto first = static_cast<size_t>(std::ranges::lower_bound(parts.steps, *rise.since) -
                                           parts.steps.begin());
    if (first == 0 || first >= amounts.size()) return 0.0;
    return MedianOf(amounts.subspan(first)) - MedianOf(amounts.first(first));
  };
  const auto own = std::ranges::find(ranks, rise.rank, &StepParts::rank);
  const double least = more(*own) / 2;
  if (least <= 0) return;
  std::vector<int64_t> all;
  for (const StepParts& parts : ranks) {
    if (rise.Has(parts.rank) || more(parts) >= least) all.push_back(parts.rank);
  }
  rise.ranks = std::move(all);
}

// The steps in which ranks spend far more time between the same operators than others do.
class Steps {
 public:
  Steps(const std::vector<StepParts>& ranks, const Neighbours& neighbours, double least)
      : ranks_(ranks), neighbours_(neighbours), least_(least) {}

  std::optional<WorkRise> Find() {
    if (!Collect()) return std::nullopt;
    const size_t most = static_cast<size_t>(std::ranges::max(counts_));
    const size_t steps = ranks_.front().steps.size();
    if (most < std::max(kFewestHigh, steps / kSome)) return std::nullopt;
    std::vector<size_t> with, without;
    for (size_t r = 0; r < ranks_.size(); ++r) {
      const auto count = static_cast<size_t>(counts_[r]);
      if (count * kOthers <= most)
        without.push_back(r);
      else
        with.push_back(r);
    }
    return Make(with, without);
  }

 private:
  bool Runs(const StepParts& rank, StringId name) const {
    return name == kNoString || rank.operators.contains(name);
  }

  // Whether all ranks run both.
  bool Collect() {
    std::vector<int64_t> all;
    for (const StepParts& rank : ranks_) {
      if (!Runs(rank, neighbours_.first) || !Runs(rank, neighbours_.second)) return false;
      const auto at = rank.between.find(neighbours_);
      times_.push_back(at == rank.between.end() ? std::vector<int64_t>(rank.steps.size())
                                                : at->second);
      all.insert(all.end(), times_.back().begin(), times_.back().end());
    }
    if (all.empty()) return false;
    const int64_t floor = FloorOf(all);
    for (const auto& times : times_) {
      high_.push_back(HighAbove(floor, times, {.least = least_, .times = kLonger}));
      counts_.push_back(std::ranges::count(high_.back(), true));
    }
    return true;
  }

  // `any`, `several`: in how many steps one of them, or more than one, is high. Where not all ranks
  // take turns, most do not: else each would have its own reason.
  bool TakeTurns(const std::vector<size_t>& with, size_t any, size_t several) const {
    const auto steps = static_cast<double>(ranks_.front().steps.size());
    const auto most = static_cast<double>(std::ranges::max(counts_));
    const bool few = 2 * with.size() <= ranks_.size(), all = with.size() == ranks_.size();
    return with.size() > 1 && (few || all) && static_cast<double>(any) >= kTurns * steps &&
           static_cast<double>(several) <= kSameSteps * static_cast<double>(any) &&
           std::ranges::all_of(
               with, [&](size_t r) { return static_cast<double>(counts_[r]) >= kEven * most; });
  }

  std::optional<WorkRise> Make(const std::vector<size_t>& with,
                               const std::vector<size_t>& without) const {
    const size_t steps = ranks_.front().steps.size();
    const size_t most = *std::ranges::max_element(with, {}, [&](size_t r) { return counts_[r]; });
    size_t any = 0, several = 0;
    for (size_t s = 0; s < steps; ++s) {
      const auto has = std::ranges::count_if(with, [&](size_t r) { return high_[r][s]; });
      any += has > 0 ? 1 : 0;
      several += has > 1 ? 1 : 0;
    }
    const auto is_in_all = [&](size_t r) {
      return static_cast<double>(counts_[r]) >= kInAll * static_cast<double>(steps);
    };
    const bool in_all = is_in_all(most) && !without.empty();
    const bool in_turn = TakeTurns(with, any, several);
    if (!in_all && !in_turn) return std::nullopt;
    if (!in_turn && FindGrowth(times_[most], least_)) return std::nullopt;
    WorkRise rise{.rank = ranks_[most].rank,
                  .name = neighbours_.second,
                  .previous = neighbours_.first,
                  .all_steps = static_cast<int64_t>(steps),
                  .in_turn = in_turn};
    for (const size_t r : with) {
      if (in_turn || is_in_all(r)) rise.ranks.push_back(ranks_[r].rank);
    }
    for (size_t i = 0; in_turn && i < with.size(); ++i) {
      for (size_t s = 0; s < steps; ++s) {
        const StepParts& rank = ranks_[with[i]];
        if (high_[with[i]][s]) rise.turns.push_back({rank.rank, rank.steps[s], times_[with[i]][s]});
      }
    }
    std::vector<int64_t> usual, more;
    for (const size_t r : without) usual.insert(usual.end(), times_[r].begin(), times_[r].end());
    for (size_t r = 0; without.empty() && r < ranks_.size(); ++r) {
      for (size_t s = 0; s < steps; ++s) {
        if (!high_[r][s]) usual.push_back(times_[r][s]);
      }
    }
    for (size_t s = 0; s < steps; ++s) {
      if (!high_[most][s]) continue;
      more.push_back(times_[most][s]);
      rise.steps.insert(ranks_[most].steps[s]);
    }
    rise.before = RoundToInt64(MedianOf(usual));
    rise.after = RoundToInt64(MedianOf(more));
    return rise;
  }

  const std::vector<StepParts>& ranks_;
  const Neighbours neighbours_;
  const double least_;
  std::vector<std::vector<int64_t>> times_;  // by rank
  std::vector<std::vector<bool>> high_;
  std::vector<int64_t> counts_;
};

// What ranks have more of than others in all steps, or in turn.
std::vector<WorkRise> FindAgainstOthers(const std::vector<StepParts>& ranks, double least) {
  std::set<Neighbours> all;
  for (const StepParts& rank : ranks) {
    for (const auto& [neighbours, times] : rank.between) {
      if (std::ranges::any_of(times, [&](int64_t t) { return static_cast<double>(t) >= least; }))
        all.insert(neighbours);
    }
  }
  std::vector<WorkRise> found;
  for (const Neighbours& neighbours : all) {
    if (auto rise = Steps(ranks, neighbours, least).Find()) found.push_back(std::move(*rise));
  }
  return found;
}

double Cost(const WorkRise& rise) {
  return static_cast<double>(rise.Difference()) * static_cast<double>(rise.steps.size());
}

WorkRises FindWorkRises(const Facts& facts) {
  const std::vector<StepParts>& ranks = StepPartsOf(facts);
  WorkRises found{.ranks = std::ssize(ranks)};
  const double least = kLeastWorkRise * static_cast<double>(StepChangesOf(facts).median);
  if (least <= 0) return found;
  for (const StepParts& parts : ranks) {
    if (auto rise = OfRank(parts, least).Find()) Join(found.rises, std::move(*rise));
  }
  for (WorkRise& rise : found.rises) AddOthers(ranks, rise);
  if (ranks.size() > 1 && !TiedByMessages(facts)) {
    std::vector<WorkRise> against = FindAgainstOthers(ranks, least);
    std::ranges::stable_sort(against, std::ranges::greater(), Cost);
    for (WorkRise& rise : against) {
      const bool known =
          std::ranges::any_of(rise.ranks, [&](int64_t rank) { return found.Of(rank) != nullptr; });
      if (!known) found.rises.push_back(std::move(rise));
    }
  }
  std::ranges::stable_sort(found.rises, std::ranges::greater(), Cost);
  return found;
}

}  // namespace

bool WorkRise::Has(int64_t of_rank) const { return std::ranges::binary_search(ranks, of_rank); }

int64_t WorkRise::Total() const {
  const auto times = std::ssize(steps) * (in_turn ? std::ssize(ranks) : 1);
  return ToInt64(static_cast<double>(Difference()) * static_cast<double>(times));
}

bool IsBySlowHost(const Facts& facts, const WorkRise& rise) {
  constexpr int64_t kFew = 3;  // a third of what the rank takes longer in all
  if (rise.kind != WorkKind::kBetween || !rise.since || rise.ranks.size() != 1) return false;
  const SlowRank* slow = SlowSince(facts, rise.rank, *rise.since);
  return slow != nullptr && rise.Difference() <= slow->Difference() / kFew;
}

const WorkRise* WorkRises::Of(int64_t rank) const {
  const auto at = std::ranges::find_if(rises, [&](const WorkRise& r) { return r.Has(rank); });
  return at == rises.end() ? nullptr : &*at;
}

const WorkRises& WorkRisesOf(const Facts& facts) { return facts.memo.Of<FindWorkRises>(facts); }

}  // namespace stepscope
