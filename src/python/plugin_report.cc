// Reads the report of an analysis in Python.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "python/errors.h"
#include "python/plugin.h"
#include "stepscope/plugin.h"

namespace stepscope::python {
namespace {

namespace nb = nanobind;

constexpr size_t kTextRows = 20;  // of each table

std::string TextIn(const nb::dict& from, const char* key) {
  return nb::cast<std::string>(nb::str(nb::handle(from[key])));
}

nb::list ListIn(const nb::dict& from, const char* key) { return nb::list(nb::handle(from[key])); }

std::optional<int64_t> MaybeIntIn(const nb::dict& from, const char* key) {
  const nb::handle value = from[key];
  if (value.is_none()) return std::nullopt;
  return nb::cast<int64_t>(nb::int_(value));
}

// What Python has checked already has its value.
template <class T>
T Known(Result<T> parsed) {
  return parsed ? *parsed : T{};
}

Cell CellOf(nb::handle value) {
  if (value.is_none()) return {};
  if (PyLong_Check(value.ptr())) return nb::cast<int64_t>(value);
  if (PyFloat_Check(value.ptr())) return nb::cast<double>(value);
  return nb::cast<std::string>(nb::str(value));
}

Column ColumnOf(const nb::dict& from) {
  return {.key = TextIn(from, "key"),
          .title = Phrase::Name(TextIn(from, "title")),
          .unit = Known(ParseUnit(TextIn(from, "unit"))),
          .role = TextIn(from, "role") == "key" ? Role::kKey : Role::kValue,
          .detail = nb::cast<bool>(from["detail"]),
          .kind = Known(ParseColumnKind(TextIn(from, "kind")))};
}

Table TableOf(const nb::dict& from) {
  Table table{.key = TextIn(from, "key"),
              .title = Phrase::Name(TextIn(from, "title")),
              .columns = {},
              .rows = {},
              .text_rows = kTextRows};
  table.bars = TextIn(from, "bars");
  for (const nb::handle column : ListIn(from, "columns"))
    table.columns.push_back(ColumnOf(nb::cast<nb::dict>(column)));
  for (const nb::handle row : ListIn(from, "rows")) {
    std::vector<Cell>& cells = table.rows.emplace_back();
    for (const nb::handle cell : nb::tuple(row)) cells.push_back(CellOf(cell));
  }
  return table;
}

Metric MetricOf(const nb::tuple& from) {
  return {.key = nb::cast<std::string>(from[0]),
          .title = Phrase::Name(nb::cast<std::string>(from[1])),
          .value = CellOf(from[2]),
          .unit = Known(ParseUnit(nb::cast<std::string>(from[3])))};
}

Series SeriesOf(const nb::dict& from) {
  Series series{.key = TextIn(from, "key"),
                .title = Phrase::Name(TextIn(from, "title")),
                .x_unit = Known(ParseUnit(TextIn(from, "x_unit"))),
                .y_unit = Known(ParseUnit(TextIn(from, "y_unit"))),
                .points = {}};
  const nb::list x = ListIn(from, "x"), y = ListIn(from, "y");
  for (size_t i = 0; i < x.size() && i < y.size(); ++i)
    series.points.emplace_back(nb::cast<double>(x[i]), nb::cast<double>(y[i]));
  return series;
}

Finding FindingOf(const nb::dict& from) {
  Finding finding{.severity = Known(ParseSeverity(TextIn(from, "severity"))),
                  .message = Phrase::Name(TextIn(from, "message")),
                  .because = Phrase::Name(TextIn(from, "because")),
                  .hint = Phrase::Name(TextIn(from, "hint")),
                  .impact = MaybeIntIn(from, "impact").value_or(0)};
  finding.table = TextIn(from, "table");
  finding.cause = {.kind = Known(ParseCause(TextIn(from, "cause"))),
                   .rank = MaybeIntIn(from, "rank"),
                   .step = MaybeIntIn(from, "step")};
  return finding;
}

}  // namespace

Result<Report> ReportFrom(const nb::dict& answer) {
  if (answer.contains("error")) return std::unexpected(ErrorIn(answer["error"]));
  Report report;
  report.headline = Phrase::Name(TextIn(answer, "headline"));
  for (const nb::handle one : ListIn(answer, "metrics"))
    report.metrics.push_back(MetricOf(nb::cast<nb::tuple>(one)));
  for (const nb::handle one : ListIn(answer, "tables"))
    report.tables.push_back(TableOf(nb::cast<nb::dict>(one)));
  for (const nb::handle one : ListIn(answer, "series"))
    report.series.push_back(SeriesOf(nb::cast<nb::dict>(one)));
  for (const nb::handle one : ListIn(answer, "findings"))
    report.findings.push_back(FindingOf(nb::cast<nb::dict>(one)));
  for (const nb::handle one : ListIn(answer, "notes"))
    report.notes.push_back({"limit", 1, Phrase::Name(nb::cast<std::string>(one)), ""});
  return report;
}

}  // namespace stepscope::python
