// Says what has to be read and computed for the tables that a statement names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::query {

struct Wanted {
  std::vector<std::string> analyses;  // none: no report but that of the smallest
  bool all = false;                   // every analysis
  bool events = false;
  bool ledgers = false;  // tables of accounted jobs
};

// `names`: "kernels.top" or "events"; nothing: not known, so everything is wanted. Names that are
// no table of ours, as those of a WITH, want nothing.
Wanted WantedFor(const std::optional<std::vector<std::string>>& names);

// Of tables whose names no analysis begins; each stands for another: "steps" for "steps.steps".
struct Alias {
  std::string_view name, schema, table;
};
inline constexpr Alias kAliases[] = {{"steps", "steps", "steps"}};

// The table, or the analysis whose tables are asked for, that somebody who mistyped one of `names`
// may have meant; empty: none is near.
std::string NearestTable(const std::vector<std::string>& names,
                         const std::vector<std::string>& known);

}  // namespace stepscope::query
