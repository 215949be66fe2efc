// Tries each form of a limit in turn.
#include "report/limit.h"

#include <variant>

#include "base/quantity.h"

namespace stepscope {

std::optional<Limit> ReadLimit(std::string_view text) {
  if (const auto number = ReadNumber(text)) return Limit{*number, Unit::kNone};
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  const double sign = negative ? -1 : 1;
  if (text.starts_with('-')) return std::nullopt;
  if (const auto share = ReadShare(text)) return Limit{sign * *share, Unit::kRatio};
  if (const auto points = ReadPoints(text)) return Limit{sign * *points, Unit::kRatioDifference};
  if (const auto time = ReadNanoseconds(text)) return Limit{sign * *time, Unit::kNanoseconds};
  if (const auto bytes = ReadSize(text)) return Limit{sign * *bytes, Unit::kBytes};
  return std::nullopt;
}

std::optional<double> NumberIn(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

}  // namespace stepscope
