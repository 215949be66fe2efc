// Matches each distinct name with the patterns once.
#include "facts/devices/kernel_groups.h"

#include <algorithm>

namespace stepscope {

// Goes back at most to the last star: time at most text times pattern.
bool MatchesPattern(std::string_view text, std::string_view pattern) {
  size_t t = 0, p = 0;
  size_t star = pattern.npos, resume = 0;  // the last star, and the text it does not cover yet
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

GroupedNames GroupNames(const StringTable& names, std::span<const KernelGroup> groups) {
  GroupedNames grouped;
  if (groups.empty()) return grouped;
  for (const KernelGroup& group : groups) grouped.groups.push_back(group.name);
  grouped.of_name.assign(names.size(), kNoGroup);
  for (StringId name = 0; name < names.size(); ++name) {
    const auto matches = [&](const KernelGroup& group) {
      return std::ranges::any_of(group.patterns, [&](const std::string& pattern) {
        return MatchesPattern(names[name], pattern);
      });
    };
    const auto at = std::ranges::find_if(groups, matches);
    if (at != groups.end()) grouped.of_name[name] = static_cast<int32_t>(at - groups.begin());
  }
  return grouped;
}

}  // namespace stepscope
