// Averages slice counts over time.
#include "goodput/accounting/ml_slices.h"

#include <algorithm>

namespace stepscope::goodput {

MlSliceCount SliceCountOf(double time, const Event& event) {
  const auto count = [&](size_t which, int64_t otherwise) {
    const int64_t known = event.counts[which];
    return static_cast<double>(known == kUnknown ? otherwise : known);
  };
  const double total = std::max(count(1, 1), 1.0);
  return {time, count(0, 0) / total, count(2, 0) / total};
}

std::optional<MlSlices> MeanSlices(std::vector<MlSliceCount> counts, SecondsInterval over) {
  if (counts.empty()) return std::nullopt;
  const double total = over.second - over.first;
  MlSlices mean;
  if (!(total > 0)) return mean;
  std::ranges::stable_sort(counts, {}, &MlSliceCount::time);
  for (size_t k = 0; k < counts.size(); ++k) {
    const double until = k + 1 < counts.size() ? counts[k + 1].time : over.second;
    const double lasted =
        std::max(0.0, std::min(until, over.second) - std::max(counts[k].time, over.first));
    mean.active += counts[k].active * lasted / total;
    mean.available += counts[k].available * lasted / total;
  }
  return mean;
}

}  // namespace stepscope::goodput
