// Compares when ranks begin the first step that all of them have.
#include "analyses/late_start.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/distribution.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

// Of the rank's first recording with steps.
const RankActivity* FirstWithSteps(const Facts& facts, int64_t rank) {
  const auto at = std::ranges::find_if(
      facts.ranks, [&](const RankActivity& r) { return r.rank == rank && !r.steps.empty(); });
  return at == facts.ranks.end() ? nullptr : &*at;
}

// When it begins the step on the common clock.
std::optional<int64_t> BeginOf(const Facts& facts, const RankCollectives& rank, int64_t number) {
  const RankActivity* own = FirstWithSteps(facts, rank.rank);
  if (own == nullptr || !rank.clock.known || own->steps.front().number != number)
    return std::nullopt;
  return rank.clock.Aligned(own->steps.front().start);
}

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

}  // namespace

std::optional<LateStart> FindLateStart(const Facts& facts, uint32_t rank, int64_t least) {
  const auto& ranks = facts.collectives.ranks;
  const RankActivity* own = FirstWithSteps(facts, ranks[rank].rank);
  if (own == nullptr) return std::nullopt;
  const int64_t number = own->steps.front().number;
  const auto begin = BeginOf(facts, ranks[rank], number);
  std::vector<int64_t> others;
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].rank == ranks[rank].rank ||
        ranks[r].clock.reference != ranks[rank].clock.reference)
      continue;
    if (const auto other = BeginOf(facts, ranks[r], number)) others.push_back(*other);
  }
  if (!begin || others.empty()) return std::nullopt;
  const int64_t late = Apart(*begin, Describe(others).p50);
  // What the clocks do not tell is not claimed.
  if (late <= ranks[rank].clock.error || late < least) return std::nullopt;
  return LateStart{number, late};
}

Phrase SayLateStart(const LateStart& start, const Facts& facts) {
  return facts.selected.empty()
             ? Say("begins step {step}, the first recorded, {time} after the others", start.step,
                   Time(start.late))
             : Say("begins step {step}, the first selected, {time} after the others", start.step,
                   Time(start.late));
}

Phrase SayLateStartEvidence(const LateStart& start) {
  return Say("it lies before step {step}", start.step);
}

Phrase LateStartHint(const LateStart& start, const Facts& facts) {
  if (facts.selected.empty())
    return Say(
        "record steps before step {step} too: a profiler that starts late on one rank is no fault "
        "of the job",
        start.step);
  return Say("select steps before step {step} too", start.step);
}

}  // namespace stepscope
