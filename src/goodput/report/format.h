// Formats numbers inside sentences, and makes cells of computed numbers.
#pragma once

#include <optional>
#include <string>

#include "stepscope/report.h"

namespace stepscope::goodput {

std::string FormatSeconds(double seconds);  // "42.0 s", "7.87 min", "3.09 h", "41.7 d"
std::string FormatPoints(double share);     // "7.6 pp": percentage points, without the sign

// Of chip-hours at a price of one, to the hundredth.
double CostOfChipHours(double hours, double price);

// Whole nanoseconds; no value where there is none, or they do not fit.
Cell TimeCell(std::optional<double> seconds);
// No value where there is none, or it is not finite.
Cell NumberCell(std::optional<double> number);

}  // namespace stepscope::goodput
