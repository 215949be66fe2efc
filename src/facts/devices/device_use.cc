// Sweeps a device's kernels and the multiprocessors each occupies.
#include "facts/devices/device_use.h"

#include <algorithm>
#include <queue>
#include <utility>
#include <vector>

#include "facts/devices/kernel_occupancy.h"

namespace stepscope {
namespace {

// A running kernel, until when and how many blocks of it each multiprocessor has.
using Running = std::pair<int64_t, double>;

class Sweep {
 public:
  Sweep(int64_t first, int64_t last) : first_(first), last_(last), now_(first) {}

  // REQUIRES: not before the previous one.
  void Add(int64_t start, int64_t end, double blocks) {
    AdvanceTo(start);
    running_.emplace(end, blocks);
    sum_ += blocks;
  }
  void Finish() { AdvanceTo(last_); }

  int64_t busy() const { return busy_; }
  double filled() const { return filled_; }

 private:
  void AdvanceTo(int64_t time) {
    while (!running_.empty() && running_.top().first <= time) {
      Pass(running_.top().first);
      sum_ -= running_.top().second;
      running_.pop();
      if (running_.empty()) sum_ = 0;  // no crumbs of rounding stay
    }
    Pass(time);
  }
  void Pass(int64_t time) {
    const int64_t from = std::clamp(now_, first_, last_);
    const int64_t to = std::clamp(time, first_, last_);
    if (!running_.empty() && to > from) {
      busy_ += to - from;
      filled_ += std::min(sum_, 1.0) * static_cast<double>(to - from);
    }
    now_ = std::max(now_, time);
  }

  int64_t first_, last_, now_;
  std::priority_queue<Running, std::vector<Running>, std::greater<>> running_;
  double sum_ = 0;
  int64_t busy_ = 0;
  double filled_ = 0;
};

}  // namespace

DeviceUse UseOfDevice(const RankActivity& rank, uint32_t device_index,
                      std::span<const uint32_t> activities, std::span<const StepBreakdown> steps) {
  DeviceUse use;
  if (steps.empty()) return use;
  const int64_t first = steps.front().window.start;
  const int64_t last = steps.back().window.end;
  use.span = last - first;
  Sweep sweep(first, last);
  const LaunchLimits limits = LimitsOf(rank, rank.devices[device_index]);
  bool has_blocks = false;
  double occupied = 0;
  double with_occupancy = 0;
  for (const uint32_t index : activities) {
    const Activity& activity = rank.activities[index];
    if (IsMemory(activity.kind)) continue;
    const KernelDetail* kernel = rank.KernelOf(activity);
    const double blocks = kernel == nullptr ? -1 : kernel->config.blocks_per_sm;
    has_blocks = has_blocks || blocks >= 0;
    sweep.Add(activity.start, activity.end, std::max(blocks, 0.0));
    const auto duration = static_cast<double>(activity.duration());
    const auto occupancy = kernel == nullptr ? std::nullopt : OccupancyOf(kernel->config, limits);
    if (!occupancy) continue;
    occupied += *occupancy * duration;
    with_occupancy += duration;
  }
  sweep.Finish();
  use.kernels = sweep.busy();
  if (has_blocks && use.span > 0)
    use.sm_efficiency = sweep.filled() / static_cast<double>(use.span);
  if (with_occupancy > 0) use.occupancy = occupied / with_occupancy;
  return use;
}

}  // namespace stepscope
