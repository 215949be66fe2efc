// Tells which names contain a text, and looks at each once.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

class NamesContaining {
 public:
  // Both must outlive it.
  NamesContaining(const StringTable& names, std::string_view part)
      : names_(names), part_(part), known_(names.size(), -1) {}

  bool operator()(StringId name) {
    int8_t& known = known_[name];
    if (known < 0) known = names_[name].contains(part_) ? 1 : 0;
    return known == 1;
  }

 private:
  const StringTable& names_;
  std::string_view part_;
  std::vector<int8_t> known_;  // -1: not looked at yet
};

}  // namespace stepscope
