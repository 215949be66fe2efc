// Compares the median steps of ranks, and names what the slower ones spend more on.
#include "analyses/steps_uneven.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analyses/build.h"
#include "analyses/late_words.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"

namespace stepscope {
namespace steps_uneven {
namespace {

using Ranks = std::vector<int64_t>;

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// Of all steps of these ranks, the median of what `value` says.
template <class Value>
int64_t MedianOf(const std::vector<RankSteps>& all, const Ranks& of, const Value& value) {
  std::vector<int64_t> values;
  for (const RankSteps& rank : all) {
    if (!std::ranges::binary_search(of, rank.rank->rank)) continue;
    for (const StepBreakdown& step : rank.steps) values.push_back(value(step));
  }
  return Describe(values).p50;
}

int64_t MedianStep(const std::vector<RankSteps>& all, const Ranks& of) {
  return MedianOf(all, of, [](const StepBreakdown& step) { return step.Total(); });
}

// The category that slow ranks spend most more on, and how much.
std::pair<StepCategory, int64_t> More(const std::vector<RankSteps>& all, const Ranks& slow,
                                      const Ranks& others) {
  std::pair most{StepCategory::kOther, int64_t{0}};
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    const auto time = [&](const StepBreakdown& step) { return TimeOf(step, category); };
    const int64_t more = MedianOf(all, slow, time) - MedianOf(all, others, time);
    if (more > most.second) most = {category, more};
  }
  return most;
}

LateReason ReasonOf(StepCategory category) {
  switch (category) {
    case StepCategory::kDeviceCompute:
    case StepCategory::kHostCompute:
      return LateReason::kCompute;
    case StepCategory::kInput:
      return LateReason::kInput;
    default:
      return LateReason::kHost;
  }
}

int64_t CountSteps(const std::vector<RankSteps>& all, const Ranks& of) {
  int64_t count = 0;
  for (const RankSteps& rank : all) {
    if (std::ranges::binary_search(of, rank.rank->rank)) count += std::ssize(rank.steps);
  }
  return count;
}

}  // namespace
}  // namespace steps_uneven

void AddUnevenSteps(Report& report, const Facts& facts, const std::vector<RankSteps>& ranks,
                    int64_t median) {
  using namespace steps_uneven;
  // Where steps change, a rank may have recorded only what came before, or after.
  if (!facts.collectives.matches.empty() || StepChangesOf(facts).step_time) return;
  Ranks slow, others;
  for (const auto& [rank, usual] : UsualStepTimes(ranks, median))
    (usual > median ? slow : others).push_back(rank);
  if (slow.empty() || others.empty()) return;
  const int64_t own = MedianStep(ranks, slow), usual = MedianStep(ranks, others);
  const auto [category, more] = More(ranks, slow, others);
  const auto steps =
      static_cast<double>(CountSteps(ranks, slow)) / static_cast<double>(slow.size());
  const bool one = slow.size() == 1;
  report.findings.push_back(
      {.message = Say("{ranks} {take} {time} per step (median), {others} {usual}.",
                      Capitalized(SayRanks(slow)), one ? "takes" : "take", Time(own),
                      SayRanks(others), Time(usual)),
       .because = Say("{time} more {category}; these ranks wait for no other in collectives that "
                      "were recorded",
                      Time(more), SayCategory(category, facts)),
       .hint = LateHint(ReasonOf(category), facts),
       .impact = ToInt64(static_cast<double>(own - usual) * steps),
       .table = "steps",
       .cause = {CauseOf(category), one ? std::optional(slow.front()) : std::nullopt},
       .nearness = Nearness::kCause,
       .extent = {ToInt64(static_cast<double>(own) * steps), steps}});
}

}  // namespace stepscope
