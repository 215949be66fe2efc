// Implements the search for steps that are left out of means.
#include "report/compare_left_out.h"

#include <algorithm>
#include <map>
#include <string>

#include "report/compare_samples.h"

namespace stepscope::comparison {
namespace {

constexpr double kLeast = 0.7, kMost = 1.3;  // of what the function takes
constexpr double kHardlyAny = 0.1;           // of the most that one step takes more
constexpr double kInOthers = 0.5;  // of the function's time per step, that typical steps rose by

// Of a rank, without waiting for others.
Series OwnTimes(const StepComparison& steps, const StepSamples& samples, int64_t rank,
                StepSamples::Which which) {
  Series own = samples.Values("time", rank, which);
  for (const CategoryChange& c : steps.categories) {
    if (c.cause != CauseKind::kCommunication || c.key.empty()) continue;
    for (const auto& [step, time] : samples.Values(c.key, rank, which)) own[step] -= time;
  }
  return own;
}

double MeanOf(const Series& times) {
  double sum = 0;
  for (const auto& [step, time] : times) sum += time;
  return times.empty() ? 0 : sum / static_cast<double>(times.size());
}

}  // namespace

std::set<int64_t> StepsLeftOutWith(const StepComparison& steps, int64_t rank, double time) {
  constexpr auto kTypical = StepSamples::Which::kTypical;
  const Series typical = OwnTimes(steps, steps.in_b, rank, kTypical),
               all = OwnTimes(steps, steps.in_b, rank, StepSamples::Which::kAll);
  if (typical.empty() || typical.size() == all.size()) return {};
  const double usual = MeanOf(typical),
               before = MeanOf(OwnTimes(steps, steps.in_a, rank, kTypical));
  for (const CategoryChange& c : steps.categories) {
    if (!c.is_rest || c.key.empty()) continue;
    const double rose = steps.in_b.Mean(c.key, rank) - steps.in_a.Mean(c.key, rank);
    if (rose >= kInOthers * time && usual - before >= kInOthers * time) return {};
  }
  std::map<int64_t, double> more;  // by step
  double sum = 0, most = 0;
  for (const auto& [step, own] : all) {
    if (typical.contains(step) || own <= usual) continue;
    more[step.second] += own - usual;
    sum += own - usual;
    most = std::max(most, own - usual);
  }
  const double of_function = time * static_cast<double>(all.size());
  if (sum < kLeast * of_function || sum > kMost * of_function) return {};
  std::set<int64_t> numbers;
  for (const auto& [number, own] : more) {
    if (own > kHardlyAny * most) numbers.insert(number);
  }
  return numbers;
}

}  // namespace stepscope::comparison
