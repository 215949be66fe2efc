// Writes times as traces hold them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace stepscope {

// Microseconds with all digits: "1.234".
inline std::string Microseconds(int64_t ns) {
  const uint64_t size = ns < 0 ? -static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return fmt::format("{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

}  // namespace stepscope
