// Puts a line through each rank's steps.
#include "facts/derived/steps/step_growth.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/growth.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_changes.h"

namespace stepscope {
namespace {

constexpr double kLeastOfStep = 0.1;     // of the median step
constexpr double kOnOthers = 1.0 / 3.0;  // of what the rank's steps grow by

size_t FirstOf(const RankSteps& own) { return BeginsWithWarmUp(own) ? 1 : 0; }

template <class Time>
std::vector<int64_t> TimesOf(const RankSteps& own, const Time& time) {
  std::vector<int64_t> times;
  for (size_t s = FirstOf(own); s < own.steps.size(); ++s) times.push_back(time(own.steps[s]));
  return times;
}
std::vector<int64_t> TimesOf(const RankSteps& own, StepCategory category) {
  return TimesOf(own, [&](const StepBreakdown& step) { return TimeOf(step, category); });
}

bool FollowOneAnother(const RankSteps& own) {
  if (own.steps.empty()) return false;
  return own.steps.back().window.number - own.steps.front().window.number + 1 ==
         std::ssize(own.steps);
}

// One recording of each of several ranks, which marks steps.
bool AreComparable(const std::vector<RankSteps>& ranks) {
  std::set<int64_t> numbers;
  for (const RankSteps& own : ranks) numbers.insert(own.rank->rank);
  return ranks.size() > 1 && numbers.size() == ranks.size() && !ranks.front().whole_recording &&
         std::ranges::all_of(ranks, FollowOneAnother);
}

// Nothing where the steps grow by less than half as much: others hide it.
std::optional<RankGrowth> Make(const RankSteps& own, StepCategory category, const Growth& growth) {
  const std::vector<int64_t> totals =
      TimesOf(own, [](const StepBreakdown& step) { return step.Total(); });
  const double of_steps = SlopeOf(totals);
  if (of_steps < growth.each / 2) return std::nullopt;
  const auto last = static_cast<double>(totals.size() - 1);
  const double saved = std::min(growth.each, of_steps);
  return RankGrowth{.rank = &own,
                    .category = category,
                    .each = RoundToInt64(growth.each),
                    .first = RoundToInt64(std::max(growth.first, 0.0)),
                    .last = RoundToInt64(growth.first + growth.each * last),
                    .steps = std::ssize(totals),
                    .more = RoundToInt64(saved * last * (last + 1) / 2)};
}

std::optional<RankGrowth> OnlyOne(const std::vector<RankSteps>& ranks, StepCategory category,
                                  double least) {
  std::optional<RankGrowth> only;
  std::vector<double> slopes;
  for (const RankSteps& own : ranks) {
    const std::vector<int64_t> times = TimesOf(own, category);
    if (times.size() >= 2) slopes.push_back(SlopeOf(times));
    const auto growth = FindGrowth(times, least);
    if (growth && only) return std::nullopt;
    if (growth) only = Make(own, category, *growth);
  }
  if (!only) return std::nullopt;
  const double most = std::ranges::max(slopes) * kOnOthers;
  const bool alone = std::ranges::count_if(slopes, [&](double s) { return s > most; }) == 1;
  return alone ? only : std::nullopt;
}

std::optional<RankGrowth> FindRankGrowth(const Facts& facts) {
  const std::vector<RankSteps>& ranks = RankStepsOf(facts);
  if (!AreComparable(ranks)) return std::nullopt;
  const double least = kLeastOfStep * static_cast<double>(TypicalStepsOf(facts).median);
  std::optional<RankGrowth> most;
  for (const StepCategory category :
       {StepCategory::kOther, StepCategory::kDeviceCompute, StepCategory::kInput}) {
    const auto growth = OnlyOne(ranks, category, least);
    if (growth && (!most || growth->each > most->each)) most = growth;
  }
  return most;
}

}  // namespace

const std::optional<RankGrowth>& RankGrowthOf(const Facts& facts) {
  return facts.memo.Of<FindRankGrowth>(facts);
}

}  // namespace stepscope
