// The JSON face. Its shape is a contract: docs/report-schema.json says the same for programs,
// docs/report.md for people. Keys may be added; none is renamed or removed.
#include <string>
#include <variant>

#include "report/json_writer.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

constexpr auto kOneLine = JsonWriter::Form::kOneLine;

void PutText(JsonWriter& json, std::string_view key, std::string_view value) {
  json.Key(key);
  json.String(value);
}

void PutInt(JsonWriter& json, std::string_view key, int64_t value) {
  json.Key(key);
  json.Int(value);
}

// "key": [one `put(json, item)` an item].
template <class Items, class Put>
void PutEach(JsonWriter& json, std::string_view key, const Items& items, const Put& put) {
  json.Key(key);
  json.BeginArray();
  for (const auto& item : items) put(json, item);
  json.End();
}

void PutCell(JsonWriter& json, const Cell& cell) {
  if (const auto* integer = std::get_if<int64_t>(&cell)) return json.Int(*integer);
  if (const auto* number = std::get_if<double>(&cell)) return json.Double(*number);
  if (const auto* text = std::get_if<std::string>(&cell)) return json.String(*text);
  json.Null();
}

void PutNote(JsonWriter& json, const Note& note) {
  json.BeginObject(kOneLine);
  PutText(json, "name", note.name);
  PutInt(json, "count", note.count);
  PutText(json, "says", note.says);
  PutText(json, "where", note.where);
  json.End();
}

void PutFile(JsonWriter& json, const InputFile& file) {
  json.BeginObject(kOneLine);
  PutText(json, "path", file.path);
  json.Key("rank");
  file.rank < 0 ? json.Null() : json.Int(file.rank);
  PutInt(json, "window", file.window);
  PutInt(json, "events", file.events);
  PutInt(json, "gpu_events", file.gpu_events);
  PutInt(json, "bytes", file.bytes);
  PutText(json, "problem", file.problem);
  json.End();
}

void PutRun(JsonWriter& json, const RunInfo& run) {
  json.Key("run");
  json.BeginObject();
  PutText(json, "name", run.name);
  PutEach(json, "files", run.files, PutFile);
  PutInt(json, "ranks", run.ranks);
  PutText(json, "steps", run.steps);
  PutEach(json, "notes", run.notes, PutNote);
  json.End();
}

void PutMetric(JsonWriter& json, const Metric& metric) {
  json.BeginObject(kOneLine);
  PutText(json, "key", metric.key);
  PutText(json, "title", metric.title);
  json.Key("value");
  PutCell(json, metric.value);
  PutText(json, "unit", UnitName(metric.unit));
  json.End();
}

void PutColumn(JsonWriter& json, const Column& column) {
  json.BeginObject(kOneLine);
  PutText(json, "key", column.key);
  PutText(json, "title", column.title);
  PutText(json, "unit", UnitName(column.unit));
  PutText(json, "role", column.role == Role::kKey ? "key" : "value");
  json.End();
}

void PutTable(JsonWriter& json, const Table& table) {
  json.BeginObject();
  PutText(json, "key", table.key);
  PutText(json, "title", table.title);
  PutEach(json, "columns", table.columns, PutColumn);
  PutEach(json, "rows", table.rows, [](JsonWriter& out, const std::vector<Cell>& row) {
    out.BeginArray(kOneLine);
    for (const Cell& cell : row) PutCell(out, cell);
    out.End();
  });
  json.End();
}

void PutSeries(JsonWriter& json, const Series& series) {
  json.BeginObject();
  PutText(json, "key", series.key);
  PutText(json, "title", series.title);
  PutText(json, "x_unit", UnitName(series.x_unit));
  PutText(json, "y_unit", UnitName(series.y_unit));
  PutEach(json, "points", series.points, [](JsonWriter& out, const auto& point) {
    out.BeginArray(kOneLine);
    out.Double(point.first);
    out.Double(point.second);
    out.End();
  });
  json.End();
}

void PutFinding(JsonWriter& json, const Finding& finding) {
  json.BeginObject();
  PutText(json, "severity", SeverityName(finding.severity));
  PutText(json, "says", finding.says);
  PutText(json, "because", finding.because);
  PutText(json, "try", finding.hint);
  PutInt(json, "worth", finding.worth);
  json.End();
}

void PutReport(JsonWriter& json, const Report& report) {
  json.BeginObject();
  PutText(json, "analysis", report.analysis);
  PutText(json, "title", report.title);
  PutText(json, "status", StatusName(report.status));
  PutText(json, "why", report.why);
  PutText(json, "headline", report.headline);
  PutEach(json, "metrics", report.metrics, PutMetric);
  PutEach(json, "tables", report.tables, PutTable);
  PutEach(json, "series", report.series, PutSeries);
  PutEach(json, "findings", report.findings, PutFinding);
  PutEach(json, "notes", report.notes, PutNote);
  json.End();
}

}  // namespace

std::string ToJson(const ReportSet& answer) {
  JsonWriter json;
  json.BeginObject();
  PutText(json, "schema", kReportSchema);
  PutRun(json, answer.run);
  PutText(json, "verdict", answer.verdict);
  PutEach(json, "reports", answer.reports, PutReport);
  json.End();
  return std::move(json).Take() + "\n";
}

}  // namespace stepscope
