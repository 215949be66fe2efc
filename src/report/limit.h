// Reads limits as people write them, and the numbers that are held against them.
#pragma once

#include <optional>
#include <string_view>

#include "stepscope/report.h"

namespace stepscope {

struct Limit {
  double value = 0;
  Unit unit = Unit::kNone;  // kNone: a plain number
};

// "300s", "1h30m" in ns, "5%" as a share, "5pp" as a difference of shares, "1GiB" in bytes, "0.5"
// as it is; each may be negative. Nothing where it is none of these.
std::optional<Limit> ReadLimit(std::string_view text);

// Nothing where the cell holds no number.
std::optional<double> NumberIn(const Cell& cell);

}  // namespace stepscope
