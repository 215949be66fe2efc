// Computes occupancy from the profiler's data of a launch, and fills what it omits.
#include "facts/devices/kernel_occupancy.h"

#include <algorithm>

#include "facts/devices/device_peaks.h"
#include "hardware/cuda_occupancy.h"

namespace stepscope {
namespace {

// Bytes of shared memory a block may take without being allowed more; above, the profiler says 0 %
// of any kernel, as it asks for the occupancy without allowing more.
constexpr int32_t kProfilerLimit = 48 * 1024;

}  // namespace

LaunchLimits LimitsOf(const RankActivity& rank, int64_t device) {
  LaunchLimits limits{.capability = ComputeCapabilityOf(rank, device)};
  if (const DeviceProperties* p = rank.PropertiesOf(device)) {
    limits.threads = p->threads_per_multiprocessor;
    limits.multiprocessors = p->multiprocessors;
    limits.without_occupancy = !limits.capability;
  }
  return limits;
}

std::optional<double> MostOccupancy(const LaunchConfig& config, const LaunchLimits& limits) {
  if (!limits.capability || config.registers < 0 || config.shared_memory < 0) return std::nullopt;
  int64_t threads = 1;
  for (const int32_t size : config.block) threads *= std::clamp(size, 0, 1025);
  return TheoreticalOccupancy({threads, config.registers, config.shared_memory}, *limits.capability,
                              limits.threads);
}

std::optional<double> OccupancyOf(const LaunchConfig& config, const LaunchLimits& limits) {
  const auto said = static_cast<double>(config.occupancy);
  if (said < 0 || said > 1 || (said == 0 && limits.without_occupancy)) return std::nullopt;
  if (said != 0 || config.shared_memory <= kProfilerLimit) return said;
  const auto most = MostOccupancy(config, limits);
  double threads = 1;
  for (const auto& sizes : {config.block, config.grid}) {
    for (const int32_t size : sizes) threads *= size;
  }
  if (!most || threads <= 0 || limits.multiprocessors <= 0) return std::nullopt;
  return std::min(*most, threads / static_cast<double>(limits.multiprocessors) /
                             static_cast<double>(limits.threads));
}

}  // namespace stepscope
