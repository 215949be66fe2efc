// Asks for effects far beyond chance, as facts/derived/replay does of origins.
#include "facts/derived/operations/straggler_blame.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/robust.h"

namespace stepscope {
namespace {

constexpr double kMostOfIt = 0.5;     // of the slowdown
constexpr double kBeyondOthers = 5;   // times what other workers cost
constexpr double kLeastSaved = 0.03;  // of a step
constexpr double kBeyondError = 3;    // standard errors of what is saved
constexpr double kInMostSteps = 0.65;

bool CostFarMoreThanOthers(const StragglerCost& cost) {
  std::vector<double> others;
  double least = INFINITY;
  for (const StragglerWorker& worker : cost.workers) {
    const double excess = cost.SlowdownOf(worker.step) - 1;
    if (worker.slowest) {
      least = std::min(least, excess);
    } else {
      others.push_back(excess);
    }
  }
  return !others.empty() && least > 0 &&
         least >= kBeyondOthers * std::max(0.0, Median(std::move(others)));
}

bool CostInMostSteps(const StragglerCost& cost) {
  std::vector<double> saved;
  double sum = 0, squares = 0, any = 0;
  for (const StragglerStep& step : cost.steps) {
    const auto save =
        static_cast<double>(step.no_delay) - static_cast<double>(step.without_workers);
    saved.push_back(save);
    sum += save;
    squares += save * save;
    any += save > 0 ? 1 : 0;
  }
  if (saved.empty()) return false;
  const auto count = static_cast<double>(saved.size());
  const double mean = sum / count;
  const double error = std::sqrt(std::max(0.0, squares / count - mean * mean) / count);
  return Median(std::move(saved)) >= kLeastSaved * cost.no_delay && mean >= kBeyondError * error &&
         any >= kInMostSteps * count;
}

}  // namespace

StragglerBlame BlameFor(const StragglerCost& cost) {
  const double workers = cost.ShareGone(cost.without_workers).value_or(0);
  const auto stages = cost.ShareLeft(cost.even_within_stages);
  const double uneven = stages.value_or(0);
  const bool few = workers >= kMostOfIt && workers >= uneven;
  if (few && CostFarMoreThanOthers(cost) && CostInMostSteps(cost)) return StragglerBlame::kWorkers;
  if (uneven >= kMostOfIt) return StragglerBlame::kStages;
  return stages ? StragglerBlame::kVariation : StragglerBlame::kNobody;
}

}  // namespace stepscope
