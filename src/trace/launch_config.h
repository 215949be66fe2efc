// Holds launch configurations of kernels. Thousands of launches share a few, so events refer to
// them by number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace stepscope {

// -1: the trace does not say.
struct LaunchConfig {
  std::array<int32_t, 3> grid = {-1, -1, -1};
  std::array<int32_t, 3> block = {-1, -1, -1};
  int32_t registers = -1;      // per thread
  int32_t shared_memory = -1;  // bytes per block, static and dynamic
  float blocks_per_sm = -1;
  float occupancy = -1;  // 0..1, as the profiler estimates it

  bool operator==(const LaunchConfig&) const = default;
};

// The sizes of a grid or block as profilers write them, "[128, 1, 1]" or "128,1,1". -1 for what is
// missing, negative, or no number that fits.
std::array<int32_t, 3> SizesOf(std::string_view text);

// Every configuration once, in the order they were met.
class LaunchConfigs {
 public:
  // The number of `config`.
  int64_t Intern(const LaunchConfig& config);
  const LaunchConfig& operator[](size_t number) const { return configs_[number]; }
  size_t size() const { return configs_.size(); }

 private:
  struct Hash {
    size_t operator()(const LaunchConfig& config) const;
  };
  std::vector<LaunchConfig> configs_;
  std::unordered_map<LaunchConfig, int64_t, Hash> numbers_;
};

}  // namespace stepscope
