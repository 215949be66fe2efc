// Assigns kernels to user-defined groups.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "stepscope/kernel_groups.h"

namespace stepscope {

inline constexpr int32_t kNoGroup = -1;

struct GroupedNames {
  std::vector<std::string> groups;
  std::vector<int32_t> of_name;  // by StringId: index into `groups`, or kNoGroup

  int32_t Of(StringId name) const { return of_name.empty() ? kNoGroup : of_name[name]; }
};

GroupedNames GroupNames(const StringTable& names, std::span<const KernelGroup> groups);

// Whether `pattern`, in which `*` is any text and `?` any one character, matches all of `text`.
bool MatchesPattern(std::string_view text, std::string_view pattern);

}  // namespace stepscope
