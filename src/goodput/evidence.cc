// Formulas of one line.
#include "goodput/evidence.h"

#include <cstddef>

namespace stepscope::goodput {

double MatmulFlopsPerToken(const DenseModel& model) { return 6 * model.parameters; }

double AttentionFlopsPerToken(const DenseModel& model) {
  return 12 * model.layers * model.heads * model.head_dim * model.sequence_length;
}

double Mfu(double tokens_per_second, double flops_per_token, double chips, double peak_flops) {
  return tokens_per_second * flops_per_token / (chips * peak_flops);
}

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
