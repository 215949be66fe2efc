// Stores each launch configuration once.
#include "trace/launch_config.h"

#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <type_traits>

namespace stepscope {

// Its bytes are its value: no padding, and -1 is the only float that stands for "unknown".
static_assert(sizeof(LaunchConfig) == 10 * sizeof(int32_t));

std::array<int32_t, 3> SizesOf(std::string_view text) {
  constexpr std::string_view kNumber = "-0123456789";
  std::array<int32_t, 3> sizes = {-1, -1, -1};
  for (int32_t& size : sizes) {
    text.remove_prefix(std::min(text.find_first_of(kNumber), text.size()));
    const size_t length = std::min(text.find_first_not_of(kNumber), text.size());
    std::from_chars(text.data(), text.data() + length, size);
    size = std::max(size, -1);
    text.remove_prefix(length);
  }
  return sizes;
}

size_t LaunchConfigs::Hash::operator()(const LaunchConfig& config) const {
  return XXH3_64bits(&config, sizeof config);
}

int64_t LaunchConfigs::Intern(const LaunchConfig& config) {
  const auto [at, is_new] = numbers_.try_emplace(config, static_cast<int64_t>(configs_.size()));
  if (is_new) configs_.push_back(config);
  return at->second;
}

}  // namespace stepscope
