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

// ns of a set in each window. Both are ascending.
std::vector<int64_t> TimesWithin(const IntervalSet& set, const std::vector<StepWindow>& windows) {
  std::vector<int64_t> times;
  size_t i = 0;
  for (const StepWindow& window : windows) {
    while (i < set.size() && set[i].end <= window.start) ++i;
    int64_t time = 0;
    for (size_t k = i; k < set.size() && set[k].start < window.end; ++k)
      time += std::min(set[k].end, window.end) - std::max(set[k].start, window.start);
    times.push_back(time);
  }
  return times;
}

EachStepTimes TimesOf(const Facts& facts, const RankSteps& own, const IntervalSet& waits) {
  EachStepTimes each{.rank = own.rank};
  for (const StepBreakdown& step : own.steps) {
    each.windows.push_back(step.window);
    StepTimes& of = each.times.emplace_back(StepTimes{.steps = 1, .total = step.Total()});
    for (size_t c = 0; c < kStepCategories; ++c)
      of.time[c] = TimeOf(step, static_cast<StepCategory>(c));
  }
  if (waits.empty()) return each;
  const IntervalSet collectives =
      StretchesOf(*own.rank, *facts.names, each.windows, PartsOf(StepCategory::kDeviceCollectives));
  const std::vector<int64_t> waited = TimesWithin(Intersection(collectives, waits), each.windows);
  for (size_t s = 0; s < waited.size(); ++s) {
    each.times[s].time[kWaitPart] = waited[s];
    each.times[s].time[kCollectives] -= waited[s];
  }
  return each;
}

std::vector<EachStepTimes> SplitEachStep(const Facts& facts) {
  const std::vector<IntervalSet> waits = WaitsOf(facts);
  std::vector<EachStepTimes> all;
  for (const RankSteps& own : RankStepsOf(facts)) {
    const auto recording = static_cast<size_t>(own.rank - facts.ranks.data());
    all.push_back(TimesOf(facts, own, waits[recording]));
  }
  return all;
}

// The sum of the steps of a rank whose number `counts` holds for; of no steps where there are none.
template <class Counts>
StepTimes SumOfSteps(const EachStepTimes& each, const RankSteps& typical, const Counts& counts) {
  StepTimes sum;
  size_t s = 0;
  for (const StepBreakdown& step : typical.steps) {
    while (each.windows[s].start != step.window.start) ++s;
    if (counts(step.window.number)) sum.Add(each.times[s]);
  }
  return sum;
}

// The typical steps whose number `counts` holds for.
template <class Counts>
std::vector<RankStepTimes> TimesOfTypical(const Facts& facts, const Counts& counts) {
  std::vector<RankStepTimes> sums;
  for (const RankSteps& typical : TypicalStepsOf(facts).ranks) {
    const EachStepTimes& each =
        *std::ranges::find(EachStepTimesOf(facts), typical.rank, &EachStepTimes::rank);
    const StepTimes sum = SumOfSteps(each, typical, counts);
    if (sum.steps > 0) sums.push_back({typical.rank, sum});
  }
  return sums;
}

TypicalTimes SplitSteps(const Facts& facts) {
  const auto& change = StepChangesOf(facts).step_time;
  TypicalTimes times;
  times.now = TimesOfTypical(facts, [&](int64_t step) { return !change || step >= change->since; });
  if (change)
    times.before = TimesOfTypical(facts, [&](int64_t step) { return step < change->since; });
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

const std::vector<EachStepTimes>& EachStepTimesOf(const Facts& facts) {
  return facts.memo.Of<SplitEachStep>(facts);
}

const TypicalTimes& TypicalTimesOf(const Facts& facts) { return facts.memo.Of<SplitSteps>(facts); }

}  // namespace stepscope
