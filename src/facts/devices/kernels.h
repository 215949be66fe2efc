// Computes duration statistics of every kernel of every rank.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "facts/activity/rank_activity.h"

namespace stepscope {

// The durations of one kernel, copy or set.
struct KernelStatistics {
  // Kind::kMemcpy stands for memcpy and memset alike: tables call both "memory".
  Kind kind = Kind::kCompute;
  StringId name = 0;
  int64_t count = 0;
  int64_t sum = 0;  // ns; of durations, so activities that run at once count in full
  int64_t min = std::numeric_limits<int64_t>::max();
  int64_t max = 0;

  void Add(int64_t duration);
  void Add(const KernelStatistics& other);

  double Mean() const { return static_cast<double>(sum) / static_cast<double>(count); }
  // Of the sample (n - 1); 0 for a single duration.
  double Deviation() const;

  // Welford's running mean and sum of squared deviations: stable where sums of squares are not.
  double running_mean = 0;
  double squares = 0;
};

struct RankKernels {
  int64_t rank = 0;                       // all recordings of this rank together
  int64_t device = -1;                    // -1: all devices of the rank
  std::vector<KernelStatistics> kernels;  // each name and kind once
};

// By rank, ascending; ranks without work are left out. `names`: how many names there are.
std::vector<RankKernels> MeasureKernels(std::span<const RankActivity> ranks, size_t names);

// The same for each device of ranks that have several.
std::vector<RankKernels> MeasureKernelsOfDevices(std::span<const RankActivity> ranks);

// The same over all ranks.
std::vector<KernelStatistics> MergeKernels(std::span<const RankKernels> ranks, size_t names);

// "compute", "communication" or "memory".
std::string_view KernelKindName(Kind kind);

}  // namespace stepscope
