// Measures launch shape, occupancy and Tensor Core use of kernels.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/saturate.h"
#include "facts/derived/collectives/missing_communication.h"
#include "facts/derived/operators/tensor_core_use.h"
#include "facts/devices/kernel_occupancy.h"
#include "facts/facts.h"
#include "facts/operators/operators.h"

namespace stepscope {

// A kernel that fills less of a device than this leaves most of it empty.
inline constexpr double kLowOccupancy = 0.25;

// What one kernel, or one launch configuration of it, adds up to.
struct KernelSum {
  int64_t count = 0, total = 0, min = INT64_MAX, max = 0;  // ns
  double blocks = 0, occupancy = 0;                        // each times duration
  double blocks_time = 0, occupancy_time = 0;              // durations of those that say it

  // `occupied` below 0: not known.
  void Add(const Activity& activity, const LaunchConfig* config, double occupied) {
    ++count;
    total = AddSaturated(total, activity.duration());
    min = std::min(min, activity.duration());
    max = std::max(max, activity.duration());
    const auto time = static_cast<double>(activity.duration());
    if (config != nullptr && config->blocks_per_sm >= 0) {
      blocks += static_cast<double>(config->blocks_per_sm) * time;
      blocks_time += time;
    }
    if (occupied < 0) return;
    occupancy += occupied * time;
    occupancy_time += time;
  }
  // Means; nothing where no launch says it.
  std::optional<double> Blocks() const { return Mean(blocks, blocks_time); }
  std::optional<double> Occupancy() const { return Mean(occupancy, occupancy_time); }
  void Merge(const KernelSum& other) {
    count += other.count;
    total = AddSaturated(total, other.total);
    min = std::min(min, other.min);
    max = std::max(max, other.max);
    blocks += other.blocks;
    occupancy += other.occupancy;
    blocks_time += other.blocks_time;
    occupancy_time += other.occupancy_time;
  }

 private:
  static std::optional<double> Mean(double sum, double time) {
    return time > 0 ? std::optional(sum / time) : std::nullopt;
  }
};

// Of one launch configuration. Texts, so that rows that read alike are one.
struct KernelLaunch {
  StringId kernel = 0;
  StringId op = kNoString;
  int32_t registers = -1, shared_memory = -1;
  std::array<int32_t, 3> block = {-1, -1, -1}, grid = {-1, -1, -1};

  auto operator<=>(const KernelLaunch&) const = default;
};
struct LaunchSum {
  KernelSum sum;
  std::optional<double> theoretical;
};

struct RankKernelUse {
  std::unordered_map<StringId, KernelSum> kernels;
  std::map<KernelLaunch, LaunchSum> launches;
};

// Over everything, for metrics and findings.
struct KernelTotals {
  int64_t time = 0, tensor_core = 0, unknown = 0, eligible = 0;  // ns of kernels
  double occupancy = 0, occupancy_time = 0;
  std::unordered_map<StringId, int64_t>
      missed;  // ns by operator: matrix work of ordinary cores, though it is eligible
  int64_t missed_time = 0;
  std::unordered_map<StringId, KernelSum> low;  // kernels that leave most of the device empty
  int64_t low_time = 0, few_blocks = 0;  // ns; of those with fewer blocks than multiprocessors
};

// Collects how kernels use devices, recording by recording.
class KernelUse {
 public:
  explicit KernelUse(const Facts& facts);

  // Adds the kernels of a recording to `sums` and to the totals.
  void Add(const RankActivity& rank, RankKernelUse& sums);

  // Of TPUs, which have none, "unknown".
  TensorCores Uses(StringId kernel);
  // Of which make all devices are.
  bool only_tpus() const { return only_tpus_; }
  bool only_amd() const { return only_amd_; }
  // Whether the operator could use Tensor Cores, or the kernel does. kNoString: no operator.
  bool IsEligible(StringId op, StringId kernel);
  const KernelTotals& totals() const { return totals_; }

 private:
  struct Device {
    LaunchLimits limits;
    bool has_tensor_cores = false;
  };
  // Whether the kernel is matrix work of ordinary cores.
  bool IsPlain(StringId kernel);
  StringId OperatorNameOf(const RankActivity& rank, const OperatorTree& tree,
                          const Activity& activity, const KernelDetail* kernel) const;
  void AddToTotals(const Activity& activity, StringId op, const LaunchConfig* config,
                   double occupied, const Device& device);
  static void AddLaunch(RankKernelUse& sums, StringId name, StringId op, const LaunchConfig& config,
                        const Device& device, const KernelSum& sum);

  const Facts& facts_;
  const StringTable& names_;
  const TensorCoreUse& tensor_cores_;
  const MissingCommunication& missing_communication_;
  std::vector<int8_t> eligible_, plain_;  // by name; -1: not asked yet
  bool only_tpus_ = false, only_amd_ = false;
  KernelTotals totals_;
};

}  // namespace stepscope
