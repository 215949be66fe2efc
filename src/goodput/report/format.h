// Formats numbers inside sentences, and builds columns of the model's reports.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "stepscope/report.h"

namespace stepscope::goodput {

std::string FormatSeconds(double seconds);  // "42.0 s", "7.87 min", "3.09 h", "41.7 d"
std::string FormatPoints(double share);     // "7.6 pp": percentage points, without the sign

// Whole nanoseconds; no value where they do not fit.
Cell TimeCell(double seconds);
// No value where there is none, or it is not finite.
Cell NumberCell(std::optional<double> number);

inline Column KeyColumn(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kNone, Role::kKey};
}
inline Column ValueColumn(std::string key, std::string title, Unit unit, bool detail = false) {
  return {std::move(key), std::move(title), unit, Role::kValue, detail};
}

}  // namespace stepscope::goodput
