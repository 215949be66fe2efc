// Implements the formulas of evidence.h.
#include "goodput/model/evidence.h"

#include <cstddef>

namespace stepscope::goodput {

double MeanRatio(std::span<const double> before, std::span<const double> after) {
  double sum = 0;
  for (size_t i = 0; i < before.size(); ++i) sum += before[i] / after[i];
  return sum / static_cast<double>(before.size());
}

double MeanSaving(std::span<const double> before, std::span<const double> after) {
  double sum = 0;
  for (size_t i = 0; i < before.size(); ++i) sum += 1 - after[i] / before[i];
  return sum / static_cast<double>(before.size());
}

double Mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace stepscope::goodput
