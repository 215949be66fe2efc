// Binds answers: what reports hold as plain values of Python, their tables as columns, and their
// text as the command line prints it.
#include "python/answer.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/nearest_name.h"
#include "base/printable.h"
#include "python/bind_columns.h"
#include "python/errors.h"
#include "python/module.h"
#include "python/text.h"
#include "report/humanize.h"
#include "report/table_columns.h"
#include "stepscope/language.h"
#include "stepscope/write.h"

namespace stepscope::python {
namespace {

// A table of an answer.
class AnswerTable {
 public:
  AnswerTable(std::shared_ptr<const ReportSet> answer, const Table& table)
      : answer_(std::move(answer)), table_(&table) {}

  const Table& get() const { return *table_; }
  // Made at the first use. REQUIRES: the interpreter's lock.
  const std::shared_ptr<const Columns>& columns() {
    if (!columns_) columns_ = std::make_shared<const Columns>(ColumnsOf(*table_));
    return columns_;
  }

 private:
  std::shared_ptr<const ReportSet> answer_;
  const Table* table_;
  std::shared_ptr<const Columns> columns_;
};

nb::object MaybeInt(const std::optional<int64_t>& number) {
  return number ? nb::object(nb::int_(*number)) : nb::none();
}

// "" is None: such texts are there or not.
nb::object MaybeText(std::string_view text) { return text.empty() ? nb::none() : TextOf(text); }

nb::dict DictOf(const Column& column) {
  nb::dict out;
  out["key"] = TextOf(column.key);
  out["title"] = TextOf(column.title);
  out["unit"] = TextOf(UnitName(column.unit));
  out["role"] = column.role == Role::kKey ? "key" : "value";
  out["kind"] = TextOf(ColumnKindName(column.kind));
  out["detail"] = column.detail;
  return out;
}

nb::dict DictOf(const Metric& metric) {
  nb::dict out;
  out["key"] = TextOf(metric.key);
  out["title"] = TextOf(metric.title);
  out["value"] = ValueOf(metric.value);
  out["unit"] = TextOf(UnitName(metric.unit));
  out["shown"] = TextOf(Printable(HumanCell(metric.value, metric.unit)));
  return out;
}

nb::dict DictOf(const Finding& finding) {
  nb::dict out;
  out["severity"] = TextOf(SeverityName(finding.severity));
  out["message"] = TextOf(finding.message);
  out["because"] = TextOf(finding.because);
  out["try"] = TextOf(finding.hint);
  out["impact"] = finding.impact;
  out["per_step"] = finding.per_step;
  out["share"] = finding.share;
  out["place"] = finding.place;
  out["table"] = MaybeText(finding.table);
  out["cause"] = MaybeText(CauseName(finding.cause.kind));
  out["rank"] = MaybeInt(finding.cause.rank);
  out["step"] = MaybeInt(finding.cause.step);
  out["since"] = MaybeInt(finding.since);
  return out;
}

nb::dict DictOf(const Note& note) {
  nb::dict out;
  out["name"] = TextOf(note.name);
  out["count"] = note.count;
  out["message"] = TextOf(note.message);
  out["where"] = MaybeText(note.where);
  return out;
}

nb::dict DictOf(const Series& series) {
  nb::dict out;
  nb::list x, y;
  for (const auto& [at, value] : series.points) {
    x.append(at);
    y.append(value);
  }
  out["key"] = TextOf(series.key);
  out["title"] = TextOf(series.title);
  out["x_unit"] = TextOf(UnitName(series.x_unit));
  out["y_unit"] = TextOf(UnitName(series.y_unit));
  out["x"] = x;
  out["y"] = y;
  return out;
}

template <class Values>
nb::list ListOf(const Values& values) {
  nb::list out;
  for (const auto& value : values) out.append(DictOf(value));
  return out;
}

const Report& ReportAt(const Answer& answer, size_t place) {
  if (place >= answer.get().reports.size()) throw nb::index_error("no such report");
  return answer.get().reports[place];
}

nb::dict ReportOf(const Answer& answer, size_t place) {
  const Report& report = ReportAt(answer, place);
  nb::list tables;
  for (const Table& table : report.tables)
    tables.append(nb::cast(AnswerTable(answer.shared(), table)));
  nb::dict out;
  out["name"] = TextOf(report.analysis);
  out["title"] = TextOf(report.title);
  out["status"] = TextOf(StatusName(report.status));
  out["why"] = TextOf(report.why);
  out["headline"] = TextOf(report.headline);
  out["metrics"] = ListOf(report.metrics);
  out["tables"] = tables;
  out["series"] = ListOf(report.series);
  out["findings"] = ListOf(report.findings);
  out["notes"] = ListOf(report.notes);
  return out;
}

nb::list NamesOf(const Answer& answer) {
  nb::list names;
  for (const Report& report : answer.get().reports) names.append(TextOf(report.analysis));
  return names;
}

TextStyle StyleOf(const std::string& extent, int width, bool color) {
  TextStyle style{.color = color, .width = width};
  style.extent = extent == "screen" ? TextStyle::Extent::kScreen
                 : extent == "all"  ? TextStyle::Extent::kAll
                                    : TextStyle::Extent::kUsual;
  return style;
}

// As the command line prints all of it, or one report.
nb::object TextOfAnswer(const Answer& answer, std::optional<size_t> place,
                        const std::string& extent, int width, bool color) {
  const TextStyle style = StyleOf(extent, width, color);
  ReportSet shown{.run = answer.get().run};
  if (!place || answer.get().reports.size() == 1)
    shown = answer.get();
  else
    shown.reports.push_back(ReportAt(answer, *place));
  Translate(shown, style.language);  // cells have names for programs
  return TextOf(ToText(shown, style));
}

// The first `most` rows as people read them: a list of lists of str.
nb::list ShownRows(const AnswerTable& table, size_t most) {
  nb::list rows;
  for (const auto& row : table.get().rows) {
    if (rows.size() == most) break;
    nb::list cells;
    for (size_t c = 0; c < row.size(); ++c)
      cells.append(TextOf(Printable(HumanCell(row[c], table.get().columns[c].unit))));
    rows.append(cells);
  }
  return rows;
}

std::string NearestOf(const std::string& name, const nb::list& known) {
  std::vector<std::string> names;
  for (const nb::handle one : known) names.push_back(nb::cast<std::string>(one));
  return NearestName(name, names);
}

void AddTables(nb::module_& module) {
  nb::class_<AnswerTable>(module, "Table")
      .def_prop_ro("key", [](const AnswerTable& t) { return TextOf(t.get().key); })
      .def_prop_ro("title", [](const AnswerTable& t) { return TextOf(t.get().title); })
      .def_prop_ro("bars", [](const AnswerTable& t) { return TextOf(t.get().bars); })
      .def_prop_ro("columns", [](const AnswerTable& t) { return ListOf(t.get().columns); })
      .def("__len__", [](const AnswerTable& t) { return t.get().rows.size(); })
      .def("data", [](AnswerTable& t) { return ObjectOf(t.columns()); })
      .def("shown_rows", ShownRows, nb::arg("most"));
}

}  // namespace

Answer FoundOrRaise(ReportSet reports) {
  for (const Report& report : reports.reports) {
    if (report.absent) Raise(*report.absent, Fault::kQuestion);
  }
  return Answer(std::move(reports));
}

nb::object ValueOf(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return nb::int_(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return nb::float_(*real);
  if (const auto* text = std::get_if<std::string>(&cell)) return TextOf(*text);
  return nb::none();
}

void AddAnswers(nb::module_& module) {
  AddTables(module);
  nb::class_<Answer>(module, "Answer")
      .def_prop_ro("verdict", [](const Answer& a) { return TextOf(a.get().verdict); })
      .def_prop_ro("names", NamesOf)
      .def("report", ReportOf, nb::arg("place"))
      .def("text", TextOfAnswer, nb::arg("place") = nb::none(), nb::arg("extent") = "usual",
           nb::arg("width") = 100, nb::arg("color") = false)
      .def("json", [](const Answer& a) { return TextOf(ToJson(a.get())); });
  module.def("nearest_name", NearestOf, nb::arg("name"), nb::arg("known"));
  module.def("printable", [](const std::string& text) { return TextOf(Printable(text)); });
}

}  // namespace stepscope::python
