// Lists the columns of events, and fills them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/column.h"
#include "events/links.h"

namespace stepscope {

// Links of each file, as far as a column needs them.
struct EventLinks {
  std::vector<std::vector<uint32_t>> launches;
  std::vector<Nesting> nestings;
};

enum class NeedsLinks : uint8_t { kNone, kLaunches, kNesting, kBoth };

struct EventColumn {
  std::string_view name;
  NeedsLinks needs = NeedsLinks::kNone;
  ColumnData (*fill)(const Chosen& chosen, const EventLinks& links, std::string name) = nullptr;
};

// All, in the order in which stepscope/events.h lists them.
std::span<const EventColumn> AllEventColumns();

}  // namespace stepscope
