// Sums Poisson and binomial probabilities in logarithms, so that none underflows.
#include "goodput/model/spares.h"

#include <cmath>

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostSpares = 100'000;

// std::lgamma writes a global sign.
double LogFactorial(double n) {
  int sign = 0;
  return lgamma_r(n + 1, &sign);
}

double Poisson(double mean, int64_t count) {
  const auto n = static_cast<double>(count);
  return std::exp(n * std::log(mean) - mean - LogFactorial(n));
}

double Binomial(int64_t of, double probability, int64_t count) {
  const auto n = static_cast<double>(of), k = static_cast<double>(count);
  const double ways = LogFactorial(n) - LogFactorial(k) - LogFactorial(n - k);
  return std::exp(ways + k * std::log(probability) + (n - k) * std::log1p(-probability));
}

}  // namespace

double SpareShare(int64_t spares, double failures_per_s, double repair_s) {
  const double mean = failures_per_s * repair_s;
  if (spares <= 0) return 0;
  if (mean <= 0) return 1;
  double fewer = 0;
  for (int64_t in_repair = 0; in_repair < spares && in_repair < kMostSpares; ++in_repair) {
    fewer += Poisson(mean, in_repair);
  }
  return std::fmin(fewer, 1);
}

int64_t SparesFor(double share, double failures_per_s, double repair_s) {
  const double mean = failures_per_s * repair_s;
  if (mean <= 0) return 1;
  double fewer = 0;
  for (int64_t spares = 1; spares < kMostSpares; ++spares) {
    fewer += Poisson(mean, spares - 1);
    if (fewer >= share) return spares;
  }
  return kMostSpares;
}

int64_t StandbyMachines(int64_t machines, double down_probability, double share) {
  if (down_probability <= 0) return 0;
  if (down_probability >= 1) return machines;
  double at_most = 0;
  for (int64_t down = 0; down < machines; ++down) {
    at_most += Binomial(machines, down_probability, down);
    if (at_most >= share) return down;
  }
  return machines;
}

}  // namespace stepscope::goodput
