// Sums the bytes at the peak by place of the code, and finds places whose bytes grow throughout.
#pragma once

#include <string_view>
#include <vector>

#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"

namespace stepscope::memory {

struct Holder {
  StringId name = 0;  // of Sites::texts; 0: not recorded
  Category category = Category::kUnknown;
  Amount amount;        // at the peak
  StackId largest = 0;  // its stack with the most bytes
};

enum class By : uint8_t { kSite, kOperator, kCategory };

// Most bytes first.
std::vector<Holder> HoldersBy(By by, const Sites& sites, const Replay& replay);

struct Growing {
  StringId site = 0;
  int64_t first = 0, last = 0;  // bytes that live after the first and the last window
  StackId largest = 0;
};

// Sites whose live bytes rise in every window, about evenly, by at least 1% of the peak.
std::vector<Growing> FindGrowing(const Sites& sites, const Replay& replay);

}  // namespace stepscope::memory
