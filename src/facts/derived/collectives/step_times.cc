// Intersects collectives of steps with what waits in them.
#include "facts/derived/collectives/step_times.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/collectives/exposed_waits.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace {

constexpr auto kCollectives = static_cast<size_t>(StepCategory::kDeviceCollectives);

// Of each recording: where it waits in collectives for ranks, on its own clock.
std::vector<IntervalSet> WaitsOf(const Facts& facts) {
  std::vector<std::vector<Interval>> waits(facts.ranks.size());
  for (const auto& [part, time] : ExposedWaits(facts).All()) waits[part->recording].push_back(time);
  std::vector<IntervalSet> sets;
  for (auto& own : waits) sets.push_back(UnionOf(std::move(own)));
  return sets;
}

StepTimes TimesOf(const Facts& facts, const RankSteps& own, const IntervalSet& waits) {
  StepTimes sum{.steps = std::ssize(own.steps)};
  std::vector<StepWindow> windows;
  for (const StepBreakdown& step : own.steps) {
    windows.push_back(step.window);
    sum.total = AddSaturated(sum.total, step.Total());
    for (size_t c = 0; c < kStepCategories; ++c)
      sum.time[c] = AddSaturated(sum.time[c], TimeOf(step, static_cast<StepCategory>(c)));
  }
  if (waits.empty()) return sum;
  const IntervalSet collectives =
      StretchesOf(*own.rank, *facts.names, windows, PartsOf(StepCategory::kDeviceCollectives));
  sum.time[kWaitPart] = LengthOf(Intersection(collectives, waits));
  sum.time[kCollectives] -= sum.time[kWaitPart];
  return sum;
}

// The typical steps whose number `counts` holds for.
template <class Counts>
std::vector<RankStepTimes> TimesOf(const Facts& facts, const std::vector<IntervalSet>& waits,
                                   const Counts& counts) {
  std::vector<RankStepTimes> sums;
  for (const RankSteps& own : TypicalStepsOf(facts).ranks) {
    RankSteps some{.rank = own.rank, .steps = {}, .whole_recording = own.whole_recording};
    std::ranges::copy_if(own.steps, std::back_inserter(some.steps),
                         [&](const StepBreakdown& step) { return counts(step.window.number); });
    if (some.steps.empty()) continue;
    const auto recording = static_cast<size_t>(own.rank - facts.ranks.data());
    sums.push_back({own.rank, TimesOf(facts, some, waits[recording])});
  }
  return sums;
}

TypicalTimes SplitSteps(const Facts& facts) {
  const auto& change = StepChangesOf(facts).step_time;
  const std::vector<IntervalSet> waits = WaitsOf(facts);
  TypicalTimes times;
  times.now = TimesOf(facts, waits, [&](int64_t step) { return !change || step >= change->since; });
  if (change)
    times.before = TimesOf(facts, waits, [&](int64_t step) { return step < change->since; });
  return times;
}

}  // namespace

void StepTimes::Add(const StepTimes& other) {
  for (size_t p = 0; p < kTimedParts; ++p) time[p] = AddSaturated(time[p], other.time[p]);
  steps += other.steps;
  total = AddSaturated(total, other.total);
}

StepTimes TypicalTimes::Sum(const std::vector<RankStepTimes>& ranks) {
  StepTimes all;
  for (const RankStepTimes& own : ranks) all.Add(own.times);
  return all;
}

const TypicalTimes& TypicalTimesOf(const Facts& facts) { return facts.memo.Of<SplitSteps>(facts); }

}  // namespace stepscope
