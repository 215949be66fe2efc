// Writes CSV: every row of every table with raw numbers, for spreadsheets and data frames.
//
// Lines end in CR LF (RFC 4180). Every record is one line and none begins with '#', so that tables
// can be separated line by line, whatever names they contain.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/csv_field.h"
#include "base/exact.h"
#include "base/printable.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/ids.h"
#include "stepscope/write.h"

namespace stepscope {
namespace {

// Spreadsheets run a cell that begins with one of these as a formula, and names in traces are
// untrusted.
bool LooksLikeFormula(std::string_view text) {
  constexpr std::string_view kStarts = "=+-@";
  return !text.empty() && kStarts.find(text.front()) != std::string_view::npos;
}

void AppendText(std::string& out, std::string_view text) {
  std::string field = LooksLikeFormula(text) ? "'" : "";
  AppendPrintable(field, text);
  AppendCsvField(out, field);
}

void AppendCell(std::string& out, const Cell& cell) {
  if (IsBlank(cell)) return;
  if (const auto* text = std::get_if<std::string>(&cell)) return AppendText(out, *text);
  if (const auto* integer = std::get_if<int64_t>(&cell)) return AppendExact(out, *integer);
  AppendExact(out, std::get<double>(cell));
}

// Appends one line: `append(item)` for every item, separated by commas.
template <class Items, class Append>
void AppendLine(std::string& out, const Items& items, const Append& append) {
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += ',';
    first = false;
    append(item);
  }
  out += "\r\n";
}

// The line that names the next table. It is not a record, so it must not contain quotes.
void AppendBanner(std::string& out, std::string_view analysis, const Table& table) {
  std::string banner = "# ";
  AppendPrintable(banner, analysis);
  banner += '.';
  AppendPrintable(banner, table.key);
  banner += ": ";
  AppendPrintable(banner, table.title);
  std::ranges::replace(banner, '"', '\'');
  out.append(banner).append("\r\n");
}

void AppendTable(std::string& out, std::string_view analysis, const Table& table) {
  AppendBanner(out, analysis, table);
  AppendLine(out, table.columns, [&](const Column& column) { AppendText(out, column.key); });
  for (const auto& row : table.rows) {
    if (row.size() == 1 && IsBlank(row.front())) out += "\"\"";  // an empty line is not a record
    AppendLine(out, row, [&](const Cell& cell) { AppendCell(out, cell); });
  }
}

// Spreadsheets show units only where a title says them: "time [ns]".
std::string TitleWithUnit(const Column& column) {
  const std::string_view unit = UnitName(column.unit);
  return std::string(unit.empty() ? column.title : column.title + " [" + std::string(unit) + "]");
}

std::string FileOf(const Table& table) {
  std::string out;
  AppendLine(out, table.columns,
             [&](const Column& column) { AppendText(out, TitleWithUnit(column)); });
  for (const auto& row : table.rows)
    AppendLine(out, row, [&](const Cell& cell) { AppendCell(out, cell); });
  return out;
}

Table FindingsTable(const ReportSet& answer) {
  Table table{"findings", "Findings", {}, {}};
  table.columns = {{"id", "id"},
                   {"severity", "severity"},
                   {"analysis", "analysis"},
                   {"message", "message"},
                   {"because", "because"},
                   {"try", "try"},
                   {"rank", "rank"},
                   {"since_step", "since step"},
                   {"per_step", "cost per step", Unit::kNanoseconds},
                   {"share", "share of time", Unit::kRatio}};
  for (const Finding* f : FindingsInOrder(answer)) {
    const Report& report = ReportOf(answer, *f);
    table.rows.push_back(
        {IdOf(report, *f), std::string(SeverityName(f->severity)), report.analysis, f->message,
         f->because, f->hint, f->cause.rank ? Cell(*f->cause.rank) : Cell(),
         f->since ? Cell(*f->since) : Cell(), f->per_step > 0 ? Cell(f->per_step) : Cell(),
         f->share > 0 ? Cell(f->share) : Cell()});
  }
  return table;
}

void AddNotes(Table& table, const std::string& analysis, std::span<const Note> notes) {
  for (const Note& note : notes) {
    table.rows.push_back({analysis, note.name, note.count, note.message, note.where});
  }
}

// Notes of the input under "run", notes of a report under its analysis.
Table NotesTable(const ReportSet& answer) {
  Table table{"notes", "Notes", {}, {}};
  for (const char* key : {"analysis", "name", "count", "message", "where"}) {
    table.columns.push_back({key, key});
  }
  AddNotes(table, "run", answer.run.notes);
  for (const Report& report : answer.reports) AddNotes(table, report.analysis, report.notes);
  return table;
}

}  // namespace

std::vector<NamedText> ToCsvFiles(const ReportSet& answer) {
  std::vector<NamedText> files = {{"findings.csv", FileOf(FindingsTable(answer))},
                                  {"notes.csv", FileOf(NotesTable(answer))}};
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (!table.rows.empty())
        files.push_back({report.analysis + "." + table.key + ".csv", FileOf(table)});
    }
  }
  return files;
}

std::string ToCsv(const ReportSet& answer) {
  std::string out;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) AppendTable(out, report.analysis, table);
  }
  AppendTable(out, "run", NotesTable(answer));
  return out;
}

}  // namespace stepscope
