// Fits a line to the times of steps over the sizes of their inputs.
#include "analyses/steps_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/robust.h"
#include "facts/derived/operators/step_inputs.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr double kVary = 0.05;  // of the range of sizes, that most differ by
constexpr double kLeft = 0.4;   // of the deviations of step time, that the line leaves at most

double MadAbout(const std::vector<double>& values) {
  const double median = Median(values);
  std::vector<double> deviations;
  for (const double value : values) deviations.push_back(std::abs(value - median));
  return Median(std::move(deviations));
}

// Whether sizes differ in general: one step of another size may be slow for another reason.
bool Vary(const std::vector<double>& sizes) {
  const auto [least, most] = std::ranges::minmax(sizes);
  return least > 0 && most > least && MadAbout(sizes) >= kVary * (most - least);
}

// The median of the slopes between steps half of the order by size apart: steps that are slow for
// another reason do not move it.
double SlopeOf(const std::vector<double>& sizes, const std::vector<double>& times) {
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t s) { return sizes[s]; });
  std::vector<double> slopes;
  const size_t half = order.size() / 2;
  for (size_t i = 0; i + half < order.size(); ++i) {
    const size_t small = order[i], large = order[i + half];
    if (sizes[large] > sizes[small])
      slopes.push_back((times[large] - times[small]) / (sizes[large] - sizes[small]));
  }
  return slopes.empty() ? 0 : Median(std::move(slopes));
}

}  // namespace

StepInputs::StepInputs(const Facts& facts, const RankSteps& rank) {
  constexpr size_t kEnough = 6;
  if (rank.steps.size() < kEnough || !(facts.OnHost() || facts.devices.empty())) return;
  const std::vector<double> sizes = InputElementsOf(facts, *rank.rank, WindowsOf(rank));
  if (!Vary(sizes)) return;
  for (const StepBreakdown& step : rank.steps) times_.push_back(static_cast<double>(step.Total()));
  const double slope = SlopeOf(sizes, times_);
  std::vector<double> rest;
  for (size_t s = 0; s < sizes.size(); ++s) rest.push_back(times_[s] - slope * sizes[s]);
  if (slope <= 0 || MadAbout(rest) > kLeft * MadAbout(times_)) return;
  const double at_zero = Median(rest);
  for (const double size : sizes) expected_.push_back(at_zero + slope * size);
}

bool StepInputs::Explain(size_t step, int64_t usual) const {
  if (expected_.empty()) return false;
  const auto from = static_cast<double>(usual);
  return expected_[step] - from >= (times_[step] - from) / 2;
}

void AddLargerInputs(Report& report, int64_t count, int64_t of, double slow) {
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message =
           Say("Step time follows the sizes of inputs: {steps} with larger ones {take} {times}× "
               "the median step time or more.",
               Plural(static_cast<size_t>(count), "step"), count == 1 ? "takes" : "take",
               fmt::format("{:.1f}", slow)),
       .because = Say("of {count} steps; a line through the mean number of elements of operators' "
                      "inputs explains most of what they take longer",
                      of),
       .hint = "see shapes for the sizes; batches of like sizes make steps alike",
       .table = "steps",
       .nearness = Nearness::kSymptom});
}

}  // namespace stepscope
