// Defines when a process of a job was last heard of.
#pragma once

#include <cstdint>

namespace stepscope {

struct SignOfLife {
  int64_t rank = 0;
  int64_t last = 0;   // of its last event, heartbeats included; ns since 1970
  int64_t step = -1;  // the last one that it began; -1: none
};

}  // namespace stepscope
