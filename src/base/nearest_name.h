// Finds the nearest known name to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// The name of `known` that takes the fewest insertions, deletions and replacements to reach from
// `name`; empty when none is near.
std::string NearestName(std::string_view name, std::span<const std::string> known);

}  // namespace stepscope
