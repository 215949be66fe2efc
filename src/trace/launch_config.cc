// Launch configurations, each once.
#include "trace/launch_config.h"

#include <xxhash.h>

#include <type_traits>

namespace stepscope {

// Its bytes are its value: no padding, and -1 is the only float that stands for "unknown".
static_assert(sizeof(LaunchConfig) == 10 * sizeof(int32_t));

size_t LaunchConfigs::Hash::operator()(const LaunchConfig& config) const {
  return XXH3_64bits(&config, sizeof config);
}

int64_t LaunchConfigs::Intern(const LaunchConfig& config) {
  const auto [at, is_new] = numbers_.try_emplace(config, static_cast<int64_t>(configs_.size()));
  if (is_new) configs_.push_back(config);
  return at->second;
}

}  // namespace stepscope
