// Walks the collectives, and finds change points of what was caused.
#include "facts/derived/lateness/step_blame.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/change_point.h"
#include "facts/derived/replay/wait_origins.h"

namespace stepscope {
namespace {

std::optional<int64_t> StepOf(const Facts& facts, const CollectivePart& part) {
  const RankActivity& rank = facts.ranks[part.recording];
  const int32_t step = rank.activities[part.activity].step;
  if (step == kNoStep) return std::nullopt;
  return rank.steps[static_cast<size_t>(step)].number;
}

// Of the rank that arrived last; where its trace has no such step, as of a file that ends early, of
// the first rank that has one.
std::optional<int64_t> StepOf(const Facts& facts, const CollectiveMatch& match) {
  if (match.last == kNobody) return std::nullopt;
  if (const auto step = StepOf(facts, facts.collectives.parts[match.last])) return step;
  for (const CollectivePart& part : facts.collectives.Parts(match)) {
    if (const auto step = StepOf(facts, part)) return step;
  }
  return std::nullopt;
}

StepBlame FindBlame(const Facts& facts) {
  const CollectiveFacts& c = facts.collectives;
  StepBlame steps;
  for (const CollectiveMatch& match : c.matches) {
    if (const auto step = StepOf(facts, match)) steps[*step].Add(c.parts[match.last].rank, 0);
  }
  for (const WaitCause& wait : WaitOriginsOf(facts)) {
    const CollectiveMatch& match = c.matches[wait.match];
    if (wait.rank == kNobody || match.last == kNobody) continue;
    if (const auto step = StepOf(facts, match)) steps[*step].Add(wait.rank, wait.duration());
  }
  return steps;
}

}  // namespace

const StepBlame& BlameOfSteps(const Facts& facts) { return facts.memo.Of<FindBlame>(facts); }

Blame BlameIn(const Facts& facts, const std::function<bool(int64_t)>& counts) {
  Blame sum;
  for (const auto& [step, blame] : BlameOfSteps(facts)) {
    if (!counts(step)) continue;
    for (const auto& [rank, ns] : blame.by_rank) sum.Add(rank, ns);
  }
  return sum;
}

std::set<int64_t> LateSteps(const StepBlame& steps, uint32_t rank) {
  std::set<int64_t> late;
  for (const auto& [step, blame] : steps) {
    if (blame.CausedMost(rank)) late.insert(step);
  }
  return late;
}

std::set<int64_t> StepsBefore(const StepBlame& steps, const std::set<int64_t>& late) {
  std::set<int64_t> before;
  for (const int64_t number : late) {
    const auto at = steps.find(number);
    if (at == steps.end()) return {};
    if (at == steps.begin()) continue;  // not recorded
    before.insert(std::prev(at)->first);
  }
  return before;
}

std::vector<int64_t> CausedBySteps(const StepBlame& steps, std::span<const uint32_t> ranks) {
  std::vector<int64_t> waits;
  for (const auto& [step, blame] : steps) {
    int64_t& wait = waits.emplace_back(0);
    for (const uint32_t rank : ranks) {
      const auto own = blame.by_rank.find(rank);
      if (own != blame.by_rank.end()) wait = AddSaturated(wait, own->second);
    }
  }
  return waits;
}

std::optional<int64_t> WaitedForSince(const StepBlame& steps, uint32_t rank, double least) {
  const std::vector<int64_t> waits = CausedBySteps(steps, rank);
  const auto change = FindChangePoint(waits, least);
  if (!change || change->Difference() <= 0) return std::nullopt;
  return std::next(steps.begin(), static_cast<std::ptrdiff_t>(change->at))->first;
}

}  // namespace stepscope
