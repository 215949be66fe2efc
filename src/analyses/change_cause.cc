// Implements the search for what explains a change of step time.
#include "analyses/change_cause.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <vector>

#include "analyses/build.h"
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

RankWindows WindowsSince(const RankSteps& own, const StepChange& c) {
  return {own.rank, WindowsOf(own, [&](int64_t step) { return step >= c.since; })};
}

// What the host of the rank has more of in its steps since then than in those before.
std::optional<FrameTimes::Leader> FunctionSince(const Facts& facts, const StepChange& c) {
  const RankSteps* own = StepsOfRank(facts, c.rank);
  if (own == nullptr) return std::nullopt;
  return FunctionBehind(facts, WindowsSince(*own, c),
                        {own->rank, WindowsOf(*own, [&](int64_t s) { return s < c.since; })},
                        c.Difference() / 2);
}

// The rank that the others wait longer for since then, which explains the change; empty: none.
std::optional<int64_t> WaitedForSince(const Facts& facts, const StepChange& c) {
  const std::vector<RankCollectives>& ranks = facts.collectives.ranks;
  if (ranks.size() < 2) return std::nullopt;
  const auto counts = [&](int64_t step) {
    return step >= c.since && (!c.until || step <= *c.until);
  };
  const Blame since = BlameIn(facts, counts), before = BlameIn(facts, std::not_fn(counts));
  const auto steps_since = std::ranges::count_if(
      BlameOfSteps(facts), [&](const auto& step) { return counts(step.first); });
  const auto steps_before = std::ssize(BlameOfSteps(facts)) - steps_since;
  const auto per_step = [&](const Blame& blame, uint32_t rank, int64_t steps) {
    const auto own = blame.by_rank.find(rank);
    if (own == blame.by_rank.end() || steps == 0) return 0.0;
    return static_cast<double>(own->second) / static_cast<double>(steps) /
           static_cast<double>(ranks.size() - 1);
  };
  const auto rank = since.MostBlamed();
  if (!rank) return std::nullopt;
  const double longer = per_step(since, *rank, steps_since) - per_step(before, *rank, steps_before);
  const bool explains = longer >= kExplains * static_cast<double>(c.Difference());
  return explains ? std::optional(ranks[*rank].rank) : std::nullopt;
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

// Where one operator takes longer on inputs of the same size: Python that runs within it, as of a
// host callback; or, where it takes many times as long, the function that calls it, since what else
// runs on the machine slows all that a rank runs. Where it runs more often, the function that calls
// it.
void ExplainOperator(const Facts& facts, Together& rises) {
  constexpr double kMany = 3;
  const StepChange& c = *rises.most;
  const RankSteps* own = StepsOfRank(facts, c.rank);
  if (rises.places > 1 || !facts.OnHost() || own == nullptr || !rises.excess) return;
  const ExcessKind kind = KindOf(*rises.excess);
  if (kind == ExcessKind::kSize) return;
  const StringId op = rises.excess->name;
  const auto function = FunctionSince(facts, c);
  if (kind == ExcessKind::kCalls) {
    if (function && Calls(facts, WindowsSince(*own, c), function->name, op))
      rises.function = function;
    return;
  }
  if (function && RunsIn(facts, *own->rank, function->name, op)) {
    rises.function = function;
    rises.function->caller = {};  // the framework
  }
  if (SizeIsUnknown(*rises.excess) || rises.slow != nullptr) return;
  const double times = TimesSince(facts, c, op);
  if (times < kMany) return;
  rises.times = times;
  if (function && !IsPass(function->name)) rises.function = function;
}

// The operator or function behind it.
Together Explain(const Facts& facts, const StepChanges& changes, Together rises) {
  const StepChange& c = *rises.most;
  if (c.quantity == StepQuantity::kCompute) {
    rises.excess = ExcessSince(facts, c.rank, c.since);
    if (rises.places == 1) rises.slow = SlowSince(facts, c.rank, c.since);
    ExplainOperator(facts, rises);
  }
  if (IsOfHost(c.quantity) && rises.places == 1) rises.function = FunctionSince(facts, c);
  if (rises.function && IsSlowedPass(changes, c, rises.function->name)) rises.function.reset();
  return rises;
}

bool FindOneFunction(const Facts& facts) {
  constexpr double kNearlyAll = 0.8;
  const StepChanges& changes = StepChangesOf(facts);
  const Together between = Rises(changes, StepQuantity::kOther);
  if (!HasOneRank(facts) || changes.Told() == nullptr || between.most == nullptr) return false;
  const auto difference = static_cast<double>(changes.Told()->Difference());
  if (static_cast<double>(between.most->Difference()) < kExplains * difference) return false;
  const auto function = FunctionSince(facts, *between.most);
  return function && !IsOfModel(facts, function->name) &&
         static_cast<double>(function->time) >= kNearlyAll * difference;
}

std::optional<Together> FindWhatExplains(const Facts& facts) {
  using enum StepQuantity;
  const StepChanges& changes = StepChangesOf(facts);
  const StepChange* const told = changes.Told();
  if (told == nullptr || told->Difference() <= 0) return std::nullopt;
  for (const StepQuantity quantity : {kCompute, kInput, kOther, kIdle, kExposed}) {
    Together rises = Rises(changes, quantity);
    if (rises.most == nullptr) continue;
    // They may wait for a rank whose trace ended before.
    if (quantity == kExposed && changes.lacks_ranks) continue;
    // Where they wait for one, what that one takes longer is the cause.
    if (rises.places > 1 || quantity == kExposed) {
      const auto late = WaitedForSince(facts, *told);
      const StepChange* own = late ? LargestOf(changes, *late, told->Difference()) : nullptr;
      if (own != nullptr) return Explain(facts, changes, {.most = own, .places = 1});
    }
    // Waiting counts as compute where communication was not recognized: all ranks have more then.
    const bool may_wait =
        quantity == kCompute && rises.places > 1 && MissingCommunicationOf(facts).world_size > 0;
    if (may_wait) continue;
    const auto rise = static_cast<double>(rises.most->Difference());
    if (rise < kExplains * static_cast<double>(told->Difference())) continue;
    if (quantity == kCompute && IsOneFunction(facts)) continue;
    return Explain(facts, changes, std::move(rises));
  }
  return std::nullopt;
}

}  // namespace

bool IsOfHost(StepQuantity quantity) {
  using enum StepQuantity;
  return quantity == kIdle || quantity == kInput || quantity == kOther;
}

bool IsOneFunction(const Facts& facts) { return facts.memo.Of<FindOneFunction>(facts); }

const std::optional<Together>& WhatExplains(const Facts& facts) {
  return facts.memo.Of<FindWhatExplains>(facts);
}

}  // namespace stepscope::changes
