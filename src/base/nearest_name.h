// Finds the nearest known name to a mistyped one.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// The name of `known` that takes the fewest insertions, deletions and replacements to reach from
// `name`; where none is near, the shortest that begins with `name`; else empty.
std::string NearestName(std::string_view name, std::span<const std::string> known);

}  // namespace stepscope
