// Tells steps of which nearly each is longer than those before it.
#include "analyses/steps_growing.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "analyses/growth.h"
#include "base/change_point.h"
#include "base/distribution.h"
#include "base/growth.h"
#include "base/saturate.h"
#include "facts/derived/lateness/work_rises.h"
#include "report/humanize.h"

namespace stepscope {
namespace steps_growing {
namespace {

constexpr size_t kMostCompared = 1000;  // steps before each

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// Medians of the first and the last third.
struct Thirds {
  int64_t first = 0, last = 0;
};

Thirds ThirdsOf(const std::vector<int64_t>& steps) {
  const auto third = static_cast<std::ptrdiff_t>(steps.size() / 3);
  std::vector<int64_t> first(steps.begin(), steps.begin() + third),
      last(steps.end() - third, steps.end());
  return {Describe(first).p50, Describe(last).p50};
}

// The median of the first third of the steps, if they grow all along: of nearly all pairs the later
// one is longer (Kendall's rank correlation), and the last third takes half as much again, or more.
std::optional<int64_t> GrowFrom(const std::vector<int64_t>& steps) {
  constexpr size_t kEnough = 6;
  constexpr double kNearlyAll = 0.7, kMore = 1.5;
  if (steps.size() < kEnough) return std::nullopt;
  int64_t order = 0, pairs = 0;
  for (size_t later = 1; later < steps.size(); ++later) {
    for (size_t s = std::max(later, kMostCompared) - kMostCompared; s < later; ++s) {
      ++pairs;
      order += steps[later] > steps[s] ? 1 : steps[later] < steps[s] ? -1 : 0;
    }
  }
  if (static_cast<double>(order) < kNearlyAll * static_cast<double>(pairs)) return std::nullopt;
  const auto [first, last] = ThirdsOf(steps);
  const bool more = static_cast<double>(last) >= kMore * static_cast<double>(first);
  return more ? std::optional(first) : std::nullopt;
}

// Whether most of the growth is what a rank has more of since one step: a jump.
bool IsByJump(const Facts& facts, const std::vector<int64_t>& steps) {
  const auto [first, last] = ThirdsOf(steps);
  return std::ranges::any_of(WorkRisesOf(facts).rises, [&](const WorkRise& rise) {
    return rise.since && rise.Difference() >= (last - first) / 2;
  });
}

}  // namespace
}  // namespace steps_growing

bool IsOneChange(const std::vector<int64_t>& steps) {
  return DeviationFromOneChange(steps) < LineThrough(steps).left;
}

bool AddGrowingSteps(Report& report, const Facts& facts, const std::vector<int64_t>& steps) {
  using steps_growing::Time;
  const auto from = steps_growing::GrowFrom(steps);
  if (!from || steps_growing::IsByJump(facts, steps) || GrowingFunctionOf(facts)) return false;
  const int64_t base = *from;
  int64_t more = 0, all = 0;
  for (const int64_t step : steps) {
    more = AddSaturated(more, std::max<int64_t>(step - base, 0));
    all = AddSaturated(all, step);
  }
  report.findings.push_back(
      {.message = Say("Steps grow from {first} to {last} over {steps}.", Time(steps.front()),
                      Time(steps.back()), Plural(steps.size(), "step")),
       .because = Say("median of the first {count}: {time}; nearly each step is longer than those "
                      "before it",
                      steps.size() / 3, Time(base)),
       .hint =
           "find what grows with each step: lengths of sequences, a cache of keys and values, a "
           "list that is kept, memory in use",
       .impact = more,
       .table = "steps",
       .nearness = Nearness::kPart,
       .extent = {all, static_cast<double>(steps.size())}});
  return true;
}

}  // namespace stepscope
