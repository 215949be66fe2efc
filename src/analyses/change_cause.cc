// Implements the search for what explains a change of step time.
#include "analyses/change_cause.h"

#include <functional>
#include <utility>
#include <vector>

#include "analyses/excess.h"
#include "base/robust.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/lateness/step_blame.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/derived/steps/step_parts.h"
#include "trace/library_frames.h"

namespace stepscope::changes {
namespace {

Together Rises(const StepChanges& changes, StepQuantity quantity) {
  const StepChange* most = changes.LargestRise(quantity);
  return {.most = most, .places = most == nullptr ? 0 : 1 + most->also};
}

// What the host of the rank has more of in its steps since then than in those before.
std::optional<FrameTimes::Leader> FunctionSince(const Facts& facts, const StepChange& c) {
  const RankSteps* own = StepsOfRank(facts, c.rank);
  if (own == nullptr) return std::nullopt;
  const auto since = [&](int64_t step) { return step >= c.since; };
  return FunctionBehind(facts, {own->rank, WindowsOf(*own, since)},
                        {own->rank, WindowsOf(*own, std::not_fn(since))}, c.Difference() / 2);
}

// The rank that the others wait longer for since then, which explains the change; empty: none.
std::optional<int64_t> WaitedForSince(const Facts& facts, const StepChange& c) {
  const std::vector<RankCollectives>& ranks = facts.collectives.ranks;
  if (ranks.size() < 2) return std::nullopt;
  Blame before, since;
  double steps_before = 0, steps_since = 0;
  for (const auto& [step, blame] : BlameOfSteps(facts)) {
    const bool counts = step >= c.since && (!c.until || step <= *c.until);
    (counts ? steps_since : steps_before) += 1;
    for (const auto& [rank, ns] : blame.by_rank) (counts ? since : before).Add(rank, ns);
  }
  const auto per_step = [&](const Blame& blame, uint32_t rank, double steps) {
    const auto own = blame.by_rank.find(rank);
    const auto all = static_cast<double>(own == blame.by_rank.end() ? 0 : own->second);
    return steps > 0 ? all / steps / static_cast<double>(ranks.size() - 1) : 0;
  };
  for (const auto& [rank, ns] : since.by_rank) {
    const double longer = per_step(since, rank, steps_since) - per_step(before, rank, steps_before);
    if (since.CausedMost(rank) && longer >= kExplains * static_cast<double>(c.Difference()))
      return ranks[rank].rank;
  }
  return std::nullopt;
}

// What this rank takes most longer since then, of what explains the change; null: nothing does.
const StepChange* LargestOf(const StepChanges& changes, int64_t rank, int64_t difference) {
  using enum StepQuantity;
  const StepChange* most = nullptr;
  for (const StepQuantity quantity : {kCompute, kInput, kOther}) {
    const StepChange* own = changes.Rise(quantity, rank, -1);
    const bool explains = own != nullptr && static_cast<double>(own->Difference()) >=
                                                kExplains * static_cast<double>(difference);
    if (explains && (most == nullptr || own->Difference() > most->Difference())) most = own;
  }
  return most;
}

// A pass through the model is behind nothing where the rank's operators take longer, too.
bool IsSlowedPass(const StepChanges& changes, const StepChange& c, const FrameName& function) {
  const StepChange* compute = changes.Rise(StepQuantity::kCompute, c.rank, c.device);
  return IsPass(function) && compute != nullptr && compute->Difference() >= c.Difference() / 2;
}

// How many times as long as before one operator takes per step since then.
double TimesSince(const Facts& facts, const StepChange& c, StringId op) {
  for (const StepParts& parts : StepPartsOf(facts)) {
    const auto at = parts.operators.find(op);
    if (parts.rank != c.rank || at == parts.operators.end()) continue;
    std::vector<double> before, since;
    for (size_t s = 0; s < parts.steps.size(); ++s)
      (parts.steps[s] < c.since ? before : since)
          .push_back(static_cast<double>(at->second.time[s]));
    const double usual = before.empty() ? 0 : Median(std::move(before));
    return usual > 0 && !since.empty() ? Median(std::move(since)) / usual : 0;
  }
  return 0;
}

// Python that runs within the operator, as of a host callback.
void ExplainCallback(const Facts& facts, Together& rises) {
  const RankSteps* own = StepsOfRank(facts, rises.most->rank);
  auto function = FunctionSince(facts, *rises.most);
  if (!function || own == nullptr) return;
  if (!RunsIn(facts, *own->rank, function->name, rises.excess->name)) return;
  function->caller = {};  // the framework
  rises.function = std::move(function);
}

// The one operator that takes many times as long, on inputs of the same size, and the function that
// calls it: what else runs on the machine slows all that a rank runs.
void ExplainOneOperator(const Facts& facts, Together& rises) {
  constexpr double kMany = 3;
  const StepChange& c = *rises.most;
  const bool same = rises.excess && KindOf(*rises.excess) == ExcessKind::kTime &&
                    !SizeIsUnknown(*rises.excess) && rises.slow == nullptr;
  if (rises.places > 1 || !facts.OnHost()) return;
  if (rises.excess && KindOf(*rises.excess) == ExcessKind::kTime) ExplainCallback(facts, rises);
  if (!same) return;
  const double times = TimesSince(facts, c, rises.excess->name);
  if (times < kMany) return;
  rises.times = times;
  const auto function = FunctionSince(facts, c);
  if (function && !IsPass(function->name)) rises.function = function;
}

// The operator or function behind it.
Together Explain(const Facts& facts, const StepChanges& changes, Together rises) {
  const StepChange& c = *rises.most;
  if (c.quantity == StepQuantity::kCompute) {
    rises.excess = ExcessSince(facts, c.rank, c.since);
    if (rises.places == 1) rises.slow = SlowSince(facts, c.rank, c.since);
    ExplainOneOperator(facts, rises);
  }
  if (IsOfHost(c.quantity) && rises.places == 1) rises.function = FunctionSince(facts, c);
  if (rises.function && IsSlowedPass(changes, c, rises.function->name)) rises.function.reset();
  return rises;
}

}  // namespace

bool IsOfHost(StepQuantity quantity) {
  using enum StepQuantity;
  return quantity == kIdle || quantity == kInput || quantity == kOther;
}

bool IsOneProcess(const Facts& facts) {
  return facts.ranks.front().rank == facts.ranks.back().rank;
}

bool IsOneFunction(const Facts& facts, const StepChanges& changes, int64_t difference) {
  constexpr double kNearlyAll = 0.8;
  const Together between = Rises(changes, StepQuantity::kOther);
  if (!IsOneProcess(facts) || between.most == nullptr) return false;
  const auto rise = static_cast<double>(between.most->Difference());
  if (rise < kExplains * static_cast<double>(difference)) return false;
  const auto function = FunctionSince(facts, *between.most);
  return function && !IsOfModel(facts, function->name) &&
         static_cast<double>(function->time) >= kNearlyAll * static_cast<double>(difference);
}

std::optional<Together> WhatExplains(const Facts& facts, const StepChanges& changes,
                                     int64_t difference) {
  using enum StepQuantity;
  for (const StepQuantity quantity : {kCompute, kInput, kOther, kIdle, kExposed}) {
    Together rises = Rises(changes, quantity);
    if (rises.most == nullptr) continue;
    // They may wait for a rank whose trace ended before.
    if (quantity == kExposed && changes.lacks_ranks) continue;
    // Where they wait for one, what that one takes longer is the cause.
    if (rises.places > 1 || quantity == kExposed) {
      const auto late = WaitedForSince(facts, *changes.Told());
      const StepChange* own = late ? LargestOf(changes, *late, difference) : nullptr;
      if (own != nullptr) return Explain(facts, changes, {.most = own, .places = 1});
    }
    // Waiting counts as compute where communication was not recognized: all ranks have more then.
    const bool may_wait =
        quantity == kCompute && rises.places > 1 && MissingCommunicationOf(facts).world_size > 0;
    if (may_wait) continue;
    const auto rise = static_cast<double>(rises.most->Difference());
    if (rise < kExplains * static_cast<double>(difference)) continue;
    if (quantity == kCompute && IsOneFunction(facts, changes, difference)) continue;
    return Explain(facts, changes, std::move(rises));
  }
  return std::nullopt;
}

}  // namespace stepscope::changes
