// Implements the columns and cells of two sides.
#include "report/compare_sides.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

// b - a; no value unless both are numbers.
Cell Change(const Cell& a, const Cell& b) {
  if (!IsNumber(a) || !IsNumber(b)) return {};
  const auto* whole_a = std::get_if<int64_t>(&a);
  const auto* whole_b = std::get_if<int64_t>(&b);
  int64_t change = 0;
  if (whole_a != nullptr && whole_b != nullptr &&
      !__builtin_sub_overflow(*whole_b, *whole_a, &change)) {
    return change;
  }
  return NumberOf(b) - NumberOf(a);
}

Cell ChangeRatio(const Cell& a, const Cell& b) {
  if (!IsNumber(a) || !IsNumber(b) || NumberOf(a) == 0) return {};
  return (NumberOf(b) - NumberOf(a)) / std::abs(NumberOf(a));
}

}  // namespace

bool IsNumber(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

double NumberOf(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

std::vector<Column> Sides(const Column& column) {
  const bool is_ratio = column.unit == Unit::kRatio;
  const Unit change = column.unit == Unit::kUnixTime ? Unit::kNanoseconds
                      : is_ratio                     ? Unit::kRatioDifference
                                                     : column.unit;
  const Phrase& of = column.title;
  const auto side = [&](const char* key, Phrase title) {
    return Column{.key = column.key + key,
                  .title = std::move(title),
                  .unit = column.unit,
                  .detail = column.detail,
                  .words = column.words};
  };
  return {side("_a", Say("{of}, before", of)),
          side("_b", Say("{of}, after", of)),
          {column.key + "_change", Say("{of}, after - before", of), change, Role::kValue,
           /*detail=*/true},
          {column.key + "_change_ratio", Say("{of}, change", of), Unit::kRelativeChange,
           Role::kValue, is_ratio || column.detail}};
}

std::vector<Cell> SideCells(const Cell& a, const Cell& b, Unit unit) {
  if (unit == Unit::kNone) return {a, b, Cell(), Cell()};  // from rank 3 to rank 1 is no change
  // Times of day are not compared.
  return {a, b, Change(a, b), unit == Unit::kUnixTime ? Cell() : ChangeRatio(a, b)};
}

bool RecordedPython(const ReportSet& answer) {
  const Report* python = FindReport(answer, "python");
  return python != nullptr && python->status != Status::kUnavailable;
}

double MetricOf(const ReportSet& answer, std::string_view analysis, std::string_view metric) {
  const Metric* found = FindMetric(FindReport(answer, analysis), metric);
  return found == nullptr || !IsNumber(found->value) ? 0 : NumberOf(found->value);
}

std::string TextOf(const ReportSet& answer, std::string_view analysis, std::string_view metric) {
  const Metric* found = FindMetric(FindReport(answer, analysis), metric);
  const auto* text = found == nullptr ? nullptr : std::get_if<std::string>(&found->value);
  return text == nullptr ? std::string() : *text;
}

}  // namespace stepscope::comparison
