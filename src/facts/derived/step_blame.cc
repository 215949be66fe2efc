// Walks the collectives, and finds change points of what was caused.
#include "facts/derived/step_blame.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/change_point.h"

namespace stepscope {
namespace {

std::optional<int64_t> StepOf(const Facts& facts, const CollectivePart& part) {
  const RankActivity& rank = facts.ranks[part.recording];
  const int32_t step = rank.activities[part.activity].step;
  if (step == kNoStep) return std::nullopt;
  return rank.steps[static_cast<size_t>(step)].number;
}

}  // namespace

StepBlame BlameOfSteps(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  StepBlame steps;
  for (const CollectiveMatch& match : c.matches) {
    if (match.last == kNobody) continue;
    const CollectivePart& last = c.parts[match.last];
    const auto step = StepOf(facts, last);
    if (!step) continue;
    int64_t waited = 0;
    for (const CollectivePart& part : c.Parts(match)) waited = AddSaturated(waited, part.wait);
    steps[*step].Add(last.rank, waited);
  }
  return steps;
}

int64_t LateSteps(const StepBlame& steps, uint32_t rank) {
  return std::ranges::count_if(steps,
                               [&](const auto& step) { return step.second.CausedMost(rank); });
}

std::optional<int64_t> WaitedForSince(const StepBlame& steps, uint32_t rank, double least) {
  std::vector<int64_t> waits;
  for (const auto& [step, blame] : steps) {
    const auto own = blame.by_rank.find(rank);
    waits.push_back(own == blame.by_rank.end() ? 0 : own->second);
  }
  const auto change = FindChangePoint(waits, least);
  if (!change || change->Difference() <= 0) return std::nullopt;
  return std::next(steps.begin(), static_cast<std::ptrdiff_t>(change->at))->first;
}

}  // namespace stepscope
