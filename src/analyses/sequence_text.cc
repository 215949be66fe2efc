// Joins the names of kernels.
#include "analyses/sequence_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace stepscope {

uint64_t HashOfNames(StringId first, std::span<const StringId> names) {
  uint64_t hash = first;
  for (const StringId name : names) hash = (hash ^ name) * 0x9e3779b97f4a7c15 + (hash >> 29);
  return hash;
}

std::string SayKernels(const Facts& facts, std::span<const StringId> kernels) {
  constexpr size_t kLongestShown = 64;
  std::string text;
  for (const StringId kernel : kernels.first(std::min(kernels.size(), kLongestShown))) {
    if (!text.empty()) text += " | ";
    text += (*facts.names)[kernel];
  }
  if (kernels.size() > kLongestShown) {
    text += fmt::format(" | and {} more, {:016x}", kernels.size() - kLongestShown,
                        HashOfNames(0, kernels));
  }
  return text;
}

}  // namespace stepscope
