// Finds best intervals in closed form where there is one, otherwise by search.
#include "goodput/model/checkpoint_interval.h"

#include <algorithm>
#include <cmath>

namespace stepscope::goodput {
namespace {

constexpr int kScanPoints = 240;
constexpr int kRefinements = 60;  // each shortens the bracket to 0.618 of it
constexpr double kFlat = 1e-12;   // goodput differences below this do not justify a save
constexpr double kUptimes = 50;   // intervals beyond this many uptimes equal never saving

// The larger root of tau^2 + 2 w tau = 2 w (what a failure leaves of an uptime) / (its weight):
// where (a - b tau / 2) tau / (tau + w) is largest.
std::optional<double> BestOf(double save_s, double a, double b) {
  if (save_s <= 0 || a <= 0 || b <= 0) return std::nullopt;
  return std::sqrt(save_s * save_s + 2 * save_s * a / b) - save_s;
}

// The place of the largest exact goodput between two intervals, on a logarithmic scale.
double Refine(const Parameters& p, double low, double high) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  const auto at = [&](double log_s) { return ExactForm(WithInterval(p, std::exp(log_s))).goodput; };
  double left = high - golden * (high - low), right = low + golden * (high - low);
  double left_goodput = at(left), right_goodput = at(right);
  for (int i = 0; i < kRefinements; ++i) {
    if (left_goodput > right_goodput) {
      high = right;
      right = left;
      right_goodput = left_goodput;
      left = high - golden * (high - low);
      left_goodput = at(left);
    } else {
      low = left;
      left = right;
      left_goodput = right_goodput;
      right = low + golden * (high - low);
      right_goodput = at(right);
    }
  }
  return std::exp((low + high) / 2);
}

}  // namespace

double YoungIntervalS(double save_s, double mtbf_s) { return std::sqrt(2 * save_s * mtbf_s); }

double DalyIntervalS(double save_s, double mtbf_s) {
  if (save_s >= 2 * mtbf_s) return mtbf_s;
  const double x = save_s / (2 * mtbf_s);
  return std::sqrt(2 * save_s * mtbf_s) * (1 + std::sqrt(x) / 3 + x / 9) - save_s;
}

double AvailabilityPeriodS(double save_s, double mtbf_s, double restart_s) {
  return save_s + std::sqrt(2 * (mtbf_s + restart_s) * save_s + save_s * save_s);
}

Parameters WithInterval(Parameters p, double interval_s) {
  p.interval_s = interval_s;
  return p;
}

std::optional<double> BestUptimeIntervalS(const Parameters& p) {
  const double fixed_s = MeanLostWorkS(WithInterval(p, 0));
  return BestOf(p.save_s, 1 - p.failures_per_s * fixed_s,
                p.failures_per_s * (1 - p.announced_share));
}

std::optional<double> BestFirstOrderIntervalS(const Parameters& p) {
  return BestOf(p.save_s, 1 - FirstOrderLoad(WithInterval(p, 0)),
                p.failures_per_s * (1 - p.announced_share));
}

std::optional<double> BestIntervalS(const Parameters& p) {
  if (p.failures_per_s <= 0 || (p.save_s <= 0 && p.persist_s <= 0)) return std::nullopt;
  const double mtbf_s = 1 / p.failures_per_s;
  const double low = std::log(std::min(std::max(p.save_s, p.persist_s), mtbf_s) / 1e3);
  const double step = (std::log(mtbf_s * kUptimes) - low) / kScanPoints;
  const auto at = [&](int i) {
    return ExactForm(WithInterval(p, std::exp(low + step * i))).goodput;
  };
  int best = 0;
  double most = at(0);
  for (int i = 1; i <= kScanPoints; ++i) {
    const double goodput = at(i);
    if (goodput > most) {
      best = i;
      most = goodput;
    }
  }
  if (best == 0 || at(kScanPoints) >= most - kFlat) return std::nullopt;
  return Refine(p, low + step * (best - 1), low + step * (best + 1));
}

}  // namespace stepscope::goodput
