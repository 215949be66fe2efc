// Tells the time of this machine's clock.
#pragma once

#include <chrono>
#include <cstdint>

namespace stepscope {

// ns since 1970.
inline int64_t WallClock() {
  return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

}  // namespace stepscope
