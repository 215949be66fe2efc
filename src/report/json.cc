// Writes JSON. The keys are a contract, described in docs/report-schema.json for programs and in
// docs/report.md for people. Keys may be added, never renamed or removed.
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>

#include "base/json_writer.h"
#include "language/words_json.h"
#include "report/ids.h"
#include "report/kernel_name.h"
#include "report/summary.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

constexpr auto kOneLine = JsonWriter::Form::kOneLine;

// "key": [one `put(json, item)` per item].
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
  json.Text("name", note.name);
  json.Number("count", note.count);
  json.Text("message", note.message);
  json.Text("where", note.where);
  json.End();
}

void PutFile(JsonWriter& json, const InputFile& file) {
  json.BeginObject(kOneLine);
  json.Text("path", file.path);
  json.Key("rank");
  file.rank < 0 ? json.Null() : json.Int(file.rank);
  json.Number("window", file.window);
  json.Number("events", file.events);
  json.Number("gpu_events", file.gpu_events);
  json.Number("bytes", file.bytes);
  json.Text("problem", file.problem);
  json.End();
}

void PutRun(JsonWriter& json, const RunInfo& run) {
  json.Key("run");
  json.BeginObject();
  json.Text("name", run.name);
  PutEach(json, "files", run.files, PutFile);
  json.Number("ranks", run.ranks);
  json.Text("steps", run.steps);
  PutEach(json, "notes", run.notes, PutNote);
  json.End();
}

void PutMetric(JsonWriter& json, const Metric& metric) {
  json.BeginObject(kOneLine);
  json.Text("key", metric.key);
  json.Text("title", metric.title);
  json.Key("value");
  PutCell(json, metric.value);
  json.Text("unit", UnitName(metric.unit));
  json.End();
}

void PutColumn(JsonWriter& json, const Column& column) {
  json.BeginObject(kOneLine);
  json.Text("key", column.key);
  json.Text("title", column.title);
  json.Text("unit", UnitName(column.unit));
  json.Text("role", column.role == Role::kKey ? "key" : "value");
  if (column.kind != ColumnKind::kNone) json.Text("kind", ColumnKindName(column.kind));
  json.End();
}

void PutTable(JsonWriter& json, const Table& table) {
  json.BeginObject();
  json.Text("key", table.key);
  json.Text("title", table.title);
  if (!table.kind_column.empty()) json.Text("kind_column", table.kind_column);
  if (!table.bars.empty()) json.Text("bars", table.bars);
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
  json.Text("key", series.key);
  json.Text("title", series.title);
  json.Text("x_unit", UnitName(series.x_unit));
  json.Text("y_unit", UnitName(series.y_unit));
  PutEach(json, "points", series.points, [](JsonWriter& out, const auto& point) {
    out.BeginArray(kOneLine);
    out.Double(point.first);
    out.Double(point.second);
    out.End();
  });
  json.End();
}

void PutCause(JsonWriter& json, const Cause& cause) {
  const auto put = [&](std::string_view key, const std::optional<int64_t>& number) {
    json.Key(key);
    PutCell(json, number ? Cell(*number) : Cell());
  };
  json.Key("cause");
  json.BeginObject(kOneLine);
  json.Text("kind", CauseName(cause.kind));
  put("rank", cause.rank);
  put("step", cause.step);
  json.End();
}

void PutWhere(JsonWriter& json, const Where& where) {
  const bool has_place = !where.ranks.empty() || where.device || !where.steps.empty();
  if (!has_place && where.event.empty()) return;
  json.Key("where");
  json.BeginObject(kOneLine);
  json.Key("rank");
  PutCell(json, where.ranks.size() == 1 ? Cell(where.ranks.front()) : Cell());
  const auto put = [](JsonWriter& out, int64_t number) { out.Int(number); };
  PutEach(json, "ranks", where.ranks, put);
  json.Key("device");
  PutCell(json, where.device ? Cell(*where.device) : Cell());
  PutEach(json, "steps", where.steps, put);
  json.Text("event", where.event);
  json.End();
}

void PutWorth(JsonWriter& json, const std::optional<Worth>& worth) {
  json.Key("worth");
  if (!worth) return PutCell(json, Cell());
  json.BeginObject();
  json.Number("saved", worth->saved);
  json.Number("step_time", worth->step_time);
  json.Number("error", worth->error);
  json.End();
}

void PutEvidence(JsonWriter& json, const Evidence& evidence) {
  json.BeginObject();
  json.Text("analysis", evidence.analysis);
  json.Text("message", evidence.message);
  json.Text("because", evidence.because);
  json.Text("table", evidence.table);
  json.End();
}

void PutFinding(JsonWriter& json, const std::string& id, const Finding& finding) {
  json.BeginObject();
  json.Text("id", id);
  json.Text("severity", SeverityName(finding.severity));
  json.Text("message", finding.message);
  json.Text("because", finding.because);
  json.Text("try", finding.hint);
  json.Number("impact", finding.impact);
  json.Text("table", finding.table);
  json.Number("place", finding.place);
  json.Key("share");
  PutCell(json, finding.share > 0 ? Cell(finding.share) : Cell());
  json.Key("impact_per_step");
  PutCell(json, finding.per_step > 0 ? Cell(finding.per_step) : Cell());
  json.Key("since_step");
  PutCell(json, finding.since ? Cell(*finding.since) : Cell());
  PutWhere(json, finding.where);
  PutWorth(json, finding.worth);
  PutCause(json, finding.cause);
  PutEach(json, "evidence", finding.evidence, PutEvidence);
  json.End();
}

void PutReport(JsonWriter& json, const Report& report) {
  json.BeginObject();
  json.Text("analysis", report.analysis);
  json.Text("title", report.title);
  json.Text("label", report.label);
  json.Text("group", report.group);
  json.Text("status", StatusName(report.status));
  json.Text("why", report.why);
  json.Text("headline", report.headline);
  PutEach(json, "metrics", report.metrics, PutMetric);
  PutEach(json, "tables", report.tables, PutTable);
  PutEach(json, "series", report.series, PutSeries);
  PutEach(json, "findings", report.findings, [&](JsonWriter& to, const Finding& finding) {
    PutFinding(to, IdOf(report, finding), finding);
  });
  PutEach(json, "notes", report.notes, PutNote);
  json.End();
}

// Of the names in cells those that people read shorter, in the order of the alphabet.
std::map<std::string_view, std::string> ShortNames(const ReportSet& answer) {
  std::map<std::string_view, std::string> names;
  std::unordered_set<std::string_view> seen;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      for (const auto& row : table.rows) {
        for (const Cell& cell : row) {
          const auto* full = std::get_if<std::string>(&cell);
          if (full == nullptr || !seen.insert(*full).second) continue;
          std::string shown = ShownName(*full);
          if (shown != *full) names.emplace(*full, std::move(shown));
        }
      }
    }
  }
  return names;
}

// The answer's texts in a language, by their English, and its subject.
std::map<std::string, std::string> WordsBeside(const ReportSet& answer, Language language) {
  auto words = WordsIn(language, answer);
  if (language == Language::kEnglish) return words;  // of cells that programs compare
  const Phrase subject = SubjectOf(answer);
  words.emplace(subject.str(), In(language, subject));
  return words;
}

}  // namespace

std::string ToJson(const ReportSet& answer, std::span<const Language> also, Language language) {
  JsonWriter json;
  json.BeginObject();
  json.Text("schema", kReportSchema);
  PutRun(json, answer.run);
  json.Text("subject", In(language, SubjectOf(answer)));
  json.Text("verdict", answer.verdict);
  PutEach(json, "reports", answer.reports, PutReport);
  json.Key("short_names");
  json.BeginObject();
  for (const auto& [full, shown] : ShortNames(answer)) json.Text(full, shown);
  json.End();
  if (!also.empty()) {
    std::vector<Language> languages(also.begin(), also.end());
    languages.insert(languages.begin(), Language::kEnglish);
    PutWords(json, languages, [&](Language other) { return WordsBeside(answer, other); });
  }
  json.End();
  return std::move(json).Take() + "\n";
}

}  // namespace stepscope
