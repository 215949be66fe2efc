// Describes processors and GPUs as rocprofv3 lists them.
#pragma once

#include <cstdint>
#include <utility>

#include "trace/trace.h"

namespace stepscope::rocprof {

// A processor or GPU.
struct Agent {
  bool is_gpu = false;
  DeviceProperties properties;  // whose device is the place among the machine's GPUs
};

// As the file has them; negative: it does not say.
struct AgentNumbers {
  int64_t units = -1;   // compute units
  int64_t waves = -1;   // at most, of a unit
  int64_t lanes = -1;   // of a wave
  int64_t clock = -1;   // MHz
  int64_t target = -1;  // 90402 is gfx942
};
void SetProperties(const AgentNumbers& numbers, DeviceProperties& device);

// A count as traces hold it; -1 for what is negative or too large.
constexpr int32_t Small(int64_t value) {
  return value >= 0 && std::in_range<int32_t>(value) ? static_cast<int32_t>(value) : -1;
}

}  // namespace stepscope::rocprof
