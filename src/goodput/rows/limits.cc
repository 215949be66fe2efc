// Computes exact limits of a Poisson mean (Garwood, 1936): chi-square quantiles over 2.
#include <boost/math/distributions/chi_squared.hpp>

#include "goodput/rows/job_rows.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostEvents = 10'000;
constexpr double kOutside = 0.025;  // on each side

double HalfChiSquare(double freedom, double share) {
  return boost::math::quantile(boost::math::chi_squared(freedom), share) / 2;
}

}  // namespace

void EachLimit(const TakeRow& take) {
  for (int64_t events = 0; events <= kMostEvents; ++events) {
    const double twice = 2 * static_cast<double>(events);
    const double low = events == 0 ? 0 : HalfChiSquare(twice, kOutside);
    take(std::vector<Cell>{events, low, HalfChiSquare(twice + 2, 1 - kOutside)});
  }
}

}  // namespace stepscope::goodput
