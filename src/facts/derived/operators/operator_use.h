// Finds where the operators of a run executed, and which of them device time belongs to.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct OperatorUse {
  // Executions: on hosts, and of operators that put activities on devices themselves. One that only
  // calls others is none of its own where launches tell who put what on a device.
  int64_t host = 0;
  int64_t device = 0;
  int64_t host_time = 0;   // ns of operators by themselves, on hosts
  int64_t eager_time = 0;  // of which in no compiled function
  // ns of activities by operator, the largest first. Work that nothing names is left out.
  std::vector<std::pair<StringId, int64_t>> device_time;
};

OperatorUse UseOfOperators(const Facts& facts);

}  // namespace stepscope
