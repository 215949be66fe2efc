// Small formulas with which published goodput numbers can be checked, and the user's own compared.
#pragma once

#include <span>

namespace stepscope::goodput {

// Training FLOPs a token costs in a dense transformer: 6 N + 12 L H Q T, of which the second term
// is attention, not causal (PaLM, arXiv 2204.02311, appendix B).
struct DenseModel {
  double parameters = 0;  // N
  double layers = 0, heads = 0, head_dim = 0, sequence_length = 0;
};
double MatmulFlopsPerToken(const DenseModel& model);
double AttentionFlopsPerToken(const DenseModel& model);

// Model FLOPs utilization: of what the chips could do at most.
double Mfu(double tokens_per_second, double flops_per_token, double chips, double peak_flops);

// Scheduling x runtime x program goodput (arXiv 2502.06982): the chip times cancel out.
struct ProductivityGoodput {
  double scheduling = 0;  // allocated / capacity
  double runtime = 0;     // saved by a checkpoint / allocated
  double program = 0;     // ideal time / actual time
  double product() const { return scheduling * runtime * program; }
};

// REQUIRES of both: as many numbers before as after, at least one, all above zero.
double MeanRatio(std::span<const double> before, std::span<const double> after);
double MeanSaving(std::span<const double> before,
                  std::span<const double> after);  // 1 - after/before

double Mean(std::span<const double> values);  // REQUIRES one at least

}  // namespace stepscope::goodput
