// Compares each operator of a rank before and since the step at which all of them change.
#include "facts/derived/lateness/slow_rank.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/change_point.h"
#include "base/rise.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_parts.h"

namespace stepscope {
namespace {

constexpr double kSlower = 1.25;    // times as long
constexpr double kForAWhile = 2;    // times as long, in a stretch of steps
constexpr double kNearlyAll = 0.8;  // of the time in operators
constexpr double kSame = 0.05;      // calls and sizes differ by no more
constexpr int64_t kFewest = 4;      // operators by name
constexpr int64_t kClose = 1;       // steps apart: the same change

double MedianOf(std::span<const int64_t> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

// Steps by index, from `at` until before `end`.
struct Stretch {
  size_t at, end;
};

// Medians of the steps of a stretch, and of the others.
struct Sides {
  double before = 0, since = 0;

  bool Same() const { return std::abs(since - before) <= kSame * before; }
};

Sides SidesOf(std::span<const int64_t> values, const Stretch& stretch) {
  const auto before = values.first(stretch.at), after = values.subspan(stretch.end);
  std::vector<double> others(before.begin(), before.end());
  others.insert(others.end(), after.begin(), after.end());
  return {Median(std::move(others)),
          MedianOf(values.subspan(stretch.at, stretch.end - stretch.at))};
}

// In which steps the rank takes longer: all since one, or a stretch in between.
std::optional<Stretch> LongerIn(std::span<const int64_t> in_operators, double least) {
  if (const auto change = FindChangePoint(in_operators, least))
    return change->Difference() > 0 ? std::optional(Stretch{change->at, in_operators.size()})
                                    : std::nullopt;
  const auto spell = FindSpell(in_operators, {.least = least, .times = kForAWhile});
  return spell ? std::optional(Stretch{spell->at, spell->end}) : std::nullopt;
}

void AddTo(std::vector<int64_t>& sums, const std::vector<int64_t>& values) {
  for (size_t s = 0; s < sums.size(); ++s) sums[s] = AddSaturated(sums[s], values[s]);
}

std::optional<SlowRank> Find(const StepParts& parts, double least) {
  std::vector<int64_t> in_operators(parts.steps.size());
  for (const auto& [name, op] : parts.operators) AddTo(in_operators, op.time);
  const auto longer = LongerIn(in_operators, least);
  if (!longer) return std::nullopt;
  double all = 0, slower = 0;
  int64_t names = 0;
  std::vector<int64_t> of_slower(parts.steps.size());
  for (const auto& [name, op] : parts.operators) {
    const Sides time = SidesOf(op.time, *longer);
    all += time.before;
    const Sides sizes = SidesOf(op.elements, *longer);
    const bool same = SidesOf(op.calls, *longer).Same() && sizes.before > 0 && sizes.Same();
    if (!same || time.before <= 0 || time.since < kSlower * time.before) continue;
    slower += time.before;
    AddTo(of_slower, op.time);
    ++names;
  }
  if (names < kFewest || slower < kNearlyAll * all) return std::nullopt;
  std::vector<int64_t> whole = in_operators;
  for (const auto& [neighbours, between] : parts.between) AddTo(whole, between);
  const Sides of_whole = SidesOf(whole, *longer), in_slower = SidesOf(of_slower, *longer);
  return SlowRank{.rank = parts.rank,
                  .since = parts.steps[longer->at],
                  .before = RoundToInt64(of_whole.before),
                  .after = RoundToInt64(of_whole.since),
                  .share = slower / all,
                  .times = in_slower.since / in_slower.before};
}

std::vector<SlowRank> FindSlowRanks(const Facts& facts) {
  const double least = kLeastStepChange * static_cast<double>(StepChangesOf(facts).median);
  std::vector<SlowRank> found;
  if (least <= 0) return found;
  for (const StepParts& parts : StepPartsOf(facts)) {
    if (const auto slow = Find(parts, least)) found.push_back(*slow);
  }
  if (found.size() > 1) found.clear();
  return found;
}

}  // namespace

const std::vector<SlowRank>& SlowRanksOf(const Facts& facts) {
  return facts.memo.Of<FindSlowRanks>(facts);
}

const SlowRank* SlowSince(const Facts& facts, int64_t rank, int64_t since) {
  for (const SlowRank& slow : SlowRanksOf(facts)) {
    if (slow.rank == rank && std::abs(slow.since - since) <= kClose) return &slow;
  }
  return nullptr;
}

}  // namespace stepscope
