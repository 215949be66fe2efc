// How far the reference library finds steps from their usual time. Times are in seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace stepscope::goodput {

struct MlDeviation {
  std::optional<double> ideal;                      // absent: no step took a second
  std::vector<std::pair<int64_t, double>> times;    // of each step
  std::vector<std::pair<int64_t, double>> by_step;  // |step time - ideal|, or step time - ideal
  // The published number, over the whole job and over a window.
  std::optional<double> cumulative, interval;
};

// `times`: steps in order, each once. `ideal`: absent: the mean of the steps that are not slow.
// With `is_signed` faster steps have negative deviations, as in the query with exclusions.
MlDeviation DeviationOf(std::vector<std::pair<int64_t, double>> times, std::optional<double> ideal,
                        bool is_signed = false);

}  // namespace stepscope::goodput
