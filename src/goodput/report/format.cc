// Rounds for reading; JSON and CSV hold the exact numbers.
#include "goodput/report/format.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "base/saturate.h"
#include "base/time_units.h"
#include "report/humanize.h"

namespace stepscope::goodput {

std::string FormatSeconds(double seconds) {
  struct Scale {
    double unit_s;
    std::string_view name;
    double up_to_s;  // from here on the next one reads better
  };
  constexpr auto kScales = std::to_array<Scale>(
      {{1, "s", 120}, {60, "min", 7200}, {3600, "h", 3 * 86400}, {86400, "d", HUGE_VAL}});
  if (seconds < 1) return HumanTime(seconds * kSecond);
  const Scale* scale = kScales.begin();
  while (seconds >= scale->up_to_s) ++scale;
  const double number = seconds / scale->unit_s;
  const int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", number, digits, scale->name);
}

std::string FormatPoints(double share) {
  const double points = std::fabs(share) * 100;
  return fmt::format("{} pp",
                     points < 0.95 ? fmt::format("{:.2g}", points) : fmt::format("{:.1f}", points));
}

Cell TimeCell(std::optional<double> seconds) {
  const double ns = seconds.value_or(0) * kSecond;
  if (!seconds || !(std::fabs(ns) < kMostInt64)) return {};
  return RoundToInt64(ns);
}

Cell NumberCell(std::optional<double> number) {
  if (!number || !std::isfinite(*number)) return {};
  return *number;
}

double CostOfChipHours(double hours, double price) { return std::round(hours * price * 100) / 100; }

}  // namespace stepscope::goodput
