// Checks published goodput numbers with small formulas, and compares the user's own with them.
#pragma once

#include <span>

namespace stepscope::goodput {

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
