// Compares each operator of a rank before and since the step at which all of them change.
#include "facts/derived/lateness/slow_rank.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <span>

#include "base/change_point.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_parts.h"

namespace stepscope {
namespace {

constexpr double kSlower = 1.25;    // times as long
constexpr double kNearlyAll = 0.8;  // of the time in operators
constexpr double kSame = 0.05;      // calls and sizes differ by no more
constexpr int64_t kFewest = 4;      // operators by name
constexpr int64_t kClose = 1;       // steps apart: the same change

double MedianOf(std::span<const int64_t> values) {
  return Median(std::vector<double>(values.begin(), values.end()));
}

// Medians of the steps before and since.
struct Sides {
  double before = 0, since = 0;

  bool Same() const { return std::abs(since - before) <= kSame * before; }
};

Sides SidesOf(std::span<const int64_t> values, size_t at) {
  return {MedianOf(values.first(at)), MedianOf(values.subspan(at))};
}

void AddTo(std::vector<int64_t>& sums, const std::vector<int64_t>& values) {
  for (size_t s = 0; s < sums.size(); ++s) sums[s] = AddSaturated(sums[s], values[s]);
}

std::optional<SlowRank> Find(const StepParts& parts, double least) {
  std::vector<int64_t> in_operators(parts.steps.size());
  for (const auto& [name, op] : parts.operators) AddTo(in_operators, op.time);
  const auto change = FindChangePoint(in_operators, least);
  if (!change || change->Difference() <= 0) return std::nullopt;
  double all = 0, slower = 0;
  int64_t names = 0;
  std::vector<double> times;
  for (const auto& [name, op] : parts.operators) {
    const Sides time = SidesOf(op.time, change->at);
    all += time.before;
    const Sides sizes = SidesOf(op.elements, change->at);
    const bool same = SidesOf(op.calls, change->at).Same() && sizes.before > 0 && sizes.Same();
    if (!same || time.before <= 0 || time.since < kSlower * time.before) continue;
    slower += time.before;
    times.push_back(time.since / time.before);
    ++names;
  }
  if (names < kFewest || slower < kNearlyAll * all) return std::nullopt;
  std::vector<int64_t> whole = in_operators;
  for (const auto& [neighbours, between] : parts.between) AddTo(whole, between);
  const Sides of_whole = SidesOf(whole, change->at);
  return SlowRank{.rank = parts.rank,
                  .since = parts.steps[change->at],
                  .before = RoundToInt64(of_whole.before),
                  .after = RoundToInt64(of_whole.since),
                  .share = slower / all,
                  .times = Median(std::move(times))};
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
