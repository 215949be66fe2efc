// Lists relations between numbers, and the parts of the invariants that lie in files of their own.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::testing {

// Collects the relations that do not hold.
class Relations {
 protected:
  void Equal(std::string_view what, int64_t a, int64_t b) {
    if (a != b) broken_.push_back(fmt::format("{}: {} is not {}", what, a, b));
  }
  void Ordered(std::string_view what, int64_t low, int64_t high) {
    if (low > high) broken_.push_back(fmt::format("{}: {} is more than {}", what, low, high));
  }

  std::vector<std::string> broken_;
};

// The invariants of steps, of the critical path and of memory; a part of BrokenInvariants().
std::vector<std::string> BrokenStepInvariants(const ReportSet& answer);

}  // namespace stepscope::testing
