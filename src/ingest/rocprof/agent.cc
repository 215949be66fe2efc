// Takes the numbers of an agent apart.
#include "ingest/rocprof/agent.h"

namespace stepscope::rocprof {

void SetProperties(const AgentNumbers& numbers, DeviceProperties& device) {
  device.multiprocessors = Small(numbers.units);
  const int64_t waves = Small(numbers.waves), lanes = Small(numbers.lanes);
  if (waves > 0 && lanes > 0) device.threads_per_multiprocessor = Small(waves * lanes);
  constexpr double kMega = 1e6;
  if (numbers.clock > 0) device.clock_hz = static_cast<double>(numbers.clock) * kMega;
  if (const int32_t target = Small(numbers.target); target > 0) {
    device.compute_major = target / 10000;
    device.compute_minor = target / 100 % 100;
  }
}

}  // namespace stepscope::rocprof
