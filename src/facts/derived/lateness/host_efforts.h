// Measures what each step's work says of the host, which a partial keeps.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/string_table.h"
#include "facts/facts.h"

namespace stepscope {

class HostEfforts {
 public:
  explicit HostEfforts(const StringTable& names) : names_(names) {}

  // Of the recording's steps, by device, the host's own first, and step: a step without any is
  // missing. Of a partial, what it says.
  std::vector<CondensedEffort> Of(const RankActivity& rank);

 private:
  bool IsInput(StringId name);

  const StringTable& names_;
  std::unordered_map<StringId, bool> inputs_;
};

}  // namespace stepscope
