// Sums the steps and the time between them.
#include "facts/derived/steps/step_coverage.h"

#include <algorithm>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/steps/steps.h"

namespace stepscope {
namespace {

// ns of evaluation within.
int64_t EvaluationIn(const RankActivity& rank, Interval gap) {
  int64_t time = 0;
  for (const EvaluationRun& run : rank.evaluations)
    time = AddSaturated(
        time, std::max<int64_t>(0, std::min(run.end, gap.end) - std::max(run.start, gap.start)));
  return time;
}

// ns between steps that were selected together and follow one another.
int64_t TimeBetween(const RankActivity& rank, std::span<const StepStretch> stretches) {
  int64_t time = 0;
  for (size_t s = 1; s < stretches.size(); ++s) {
    const Interval gap{stretches[s - 1].end, stretches[s].start};
    if (gap.end <= gap.start || rank.steps[s].stretch != rank.steps[s - 1].stretch) continue;
    time = AddSaturated(time, gap.end - gap.start - EvaluationIn(rank, gap));
  }
  return time;
}

}  // namespace

std::optional<double> CoverageOfSteps(std::span<const RankActivity> ranks) {
  int64_t within = 0, between = 0;
  for (const RankActivity& rank : ranks) {
    if (rank.steps.size() < 2) continue;
    const std::vector<StepStretch> stretches = StepStretches(rank);
    for (const StepStretch& stretch : stretches)
      within = AddSaturated(within, stretch.end - stretch.start);
    between = AddSaturated(between, TimeBetween(rank, stretches));
  }
  if (within <= 0) return std::nullopt;
  return static_cast<double>(within) / (static_cast<double>(within) + static_cast<double>(between));
}

}  // namespace stepscope
