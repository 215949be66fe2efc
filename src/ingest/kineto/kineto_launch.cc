// Parses launch arguments into a configuration.
#include "ingest/kineto/kineto_launch.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ingest/json/json_text.h"

namespace stepscope {
namespace {

int32_t SmallNumber(std::string_view token) {
  const auto number = ScaleDecimal(token, 0);
  return number && std::in_range<int32_t>(*number) && *number >= 0 ? static_cast<int32_t>(*number)
                                                                   : -1;
}

float RealOrNone(std::string_view token, double scale) {
  const auto number = RealNumber(token);
  return number && *number >= 0 && *number <= 1e9 ? static_cast<float>(*number * scale) : -1;
}

}  // namespace

LaunchConfig LaunchConfigOf(const Args& args) {
  const auto at = [&](LaunchArg arg) { return args.launch[static_cast<size_t>(arg)]; };
  constexpr double kPercent = 0.01;
  return {.grid = SizesOf(at(LaunchArg::kGrid)),
          .block = SizesOf(at(LaunchArg::kBlock)),
          .registers = SmallNumber(at(LaunchArg::kRegisters)),
          .shared_memory = SmallNumber(at(LaunchArg::kSharedMemory)),
          .blocks_per_sm = RealOrNone(at(LaunchArg::kBlocksPerSm), 1),
          .occupancy = RealOrNone(at(LaunchArg::kOccupancy), kPercent)};
}

}  // namespace stepscope
