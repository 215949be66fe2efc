// Compares a line with one change of level.
#include "base/growth.h"

#include <cmath>
#include <vector>

#include "base/change_point.h"
#include "base/robust.h"

namespace stepscope {
namespace {

constexpr size_t kFewest = 6;    // values
constexpr double kBetter = 0.5;  // of what one change of level leaves

}  // namespace

double SlopeOf(std::span<const int64_t> values) {
  const size_t apart = values.size() / 2;
  std::vector<double> slopes;
  for (size_t i = 0; i + apart < values.size(); ++i) {
    const double rise = static_cast<double>(values[i + apart]) - static_cast<double>(values[i]);
    slopes.push_back(rise / static_cast<double>(apart));
  }
  return Median(std::move(slopes));
}

FittedLine LineThrough(std::span<const int64_t> values) {
  const double each = SlopeOf(values);
  std::vector<double> remain;
  for (size_t i = 0; i < values.size(); ++i)
    remain.push_back(static_cast<double>(values[i]) - each * static_cast<double>(i));
  const double first = Median(remain);
  double left = 0;
  for (const double value : remain) left += std::abs(value - first);
  return {{each, first}, left};
}

std::optional<Growth> FindGrowth(std::span<const int64_t> values, double least) {
  if (values.size() < kFewest) return std::nullopt;
  const FittedLine line = LineThrough(values);
  if (line.each <= 0 || line.each * static_cast<double>(values.size() - 1) < least)
    return std::nullopt;
  if (line.left > kBetter * DeviationFromOneChange(values)) return std::nullopt;
  return line;
}

}  // namespace stepscope
