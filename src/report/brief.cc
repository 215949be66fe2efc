// Writes what an assistant should know first, and all about one finding or row, within a budget.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/exact.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/ids.h"
#include "report/lookup.h"
#include "report/metrics_table.h"
#include "report/quoted_names.h"
#include "report/summary.h"
#include "stepscope/select.h"

namespace stepscope {
namespace {

constexpr size_t kNameShown = 400;  // bytes of a name of the one row that was asked for

// Lines that fit into a budget; what does not is left out, and said.
class Pad {
 public:
  explicit Pad(size_t tokens) : left_(tokens * kTokenBytes) {}

  void Line(const std::string& text) {
    constexpr size_t kReserve = 40;  // for the line that says what was left out
    if (full_ || text.size() + 1 + kReserve > left_) {
      full_ = true;
      return;
    }
    out_ += text + "\n";
    left_ -= text.size() + 1;
  }

  std::string Take() && {
    if (full_) out_ += "(cut: raise the budget)\n";
    return std::move(out_);
  }

 private:
  std::string out_;
  size_t left_;
  bool full_ = false;
};

void AddFinding(Pad& pad, const QuotedNames& names, const SummaryCause& cause,
                const std::string& head = {}) {
  const Finding& f = *cause.finding;
  pad.Line(head + fmt::format("[{}] {}{}{}: {}", IdOf(*cause.report, f), SeverityName(f.severity),
                              cause.worth.empty() ? "" : ", " + cause.worth,
                              f.since && !cause.worth.contains("since")
                                  ? fmt::format(", since step {}", *f.since)
                                  : "",
                              names.In(f.message)));
  if (!f.because.empty()) pad.Line("  because: " + names.In(f.because));
  if (!f.hint.empty()) pad.Line("  try: " + names.Without(f.hint));
}

void AddStep(Pad& pad, const SummaryParts& step) {
  if (step.parts.empty()) return;
  const bool changed = !step.now.empty();
  pad.Line(changed ? fmt::format("{}: {} in {}, before {} in {}", step.title,
                                 HumanNanoseconds(step.time), step.now,
                                 HumanNanoseconds(step.time_before.value_or(0)), step.before)
                   : fmt::format("{}: {}", step.title, HumanNanoseconds(step.time)));
  for (const SummaryPart& part : step.parts) {
    const std::string before =
        part.before ? fmt::format(", before {}", HumanNanoseconds(*part.before)) : std::string();
    pad.Line(fmt::format("  {}: {}{}", part.title, HumanNanoseconds(part.now), before));
  }
}

void AddRanks(Pad& pad, const SummaryRanks& ranks) {
  if (ranks.rows.empty()) return;
  pad.Line("Ranks that differ, per step:");
  for (const SummaryRanks::Row& row : ranks.rows) {
    std::string text = "  " + row.title + ":";
    for (size_t c = 0; c < row.times.size(); ++c)
      text += fmt::format("{} {} {}", c == 0 ? "" : ",", ranks.parts[c],
                          HumanNanoseconds(row.times[c]));
    pad.Line(text);
  }
}

// Text may be a name from a trace.
std::string ShowShortly(const Cell& cell, Unit unit) {
  const auto* text = std::get_if<std::string>(&cell);
  return text == nullptr ? HumanCell(cell, unit) : fmt::format("`{}`", CutName(*text, kNameShown));
}

// Of an answer that is not about steps, such as goodput: the numbers of each report, and the first
// rows of its first table.
void AddNumbers(Pad& pad, const QuotedNames& names, const Report& report) {
  constexpr size_t kRows = 8;
  pad.Line(report.title + ":");
  if (report.status != Status::kOk) pad.Line("  " + names.In(report.why));
  for (const Metric& metric : report.metrics) {
    if (!metric.detail && !IsBlank(metric.value))
      pad.Line(fmt::format("  {}: {}", metric.title, ShowShortly(metric.value, metric.unit)));
  }
  if (report.tables.empty()) return;
  const Table& table = report.tables.front();
  if (!table.rows.empty()) pad.Line("  " + table.title + ":");
  for (size_t r = 0; r < std::min(table.rows.size(), kRows); ++r) {
    std::string line;
    for (size_t c = 0; c < table.columns.size(); ++c) {
      const Column& column = table.columns[c];
      const Cell& cell = table.rows[r][c];
      if (column.detail || IsBlank(cell)) continue;
      line += fmt::format("{}{} {}", line.empty() ? "    " : ", ", column.title,
                          ShowShortly(cell, column.unit));
    }
    pad.Line(line);
  }
  if (table.rows.size() > kRows)
    pad.Line(fmt::format("    and {}", Plural(table.rows.size() - kRows, "row")));
}

// The tables that evidence of the causes is in, and where all ranks' steps go: each once.
std::vector<std::string> TablesToAskFor(const Summary& summary) {
  std::vector<std::string> names;
  for (const SummaryCause& cause : summary.causes) {
    if (!cause.finding->table.empty())
      names.push_back(cause.report->analysis + "." + cause.finding->table);
  }
  names.emplace_back("breakdown.ranks");
  std::vector<std::string> once;
  for (std::string& name : names)
    if (std::ranges::find(once, name) == once.end()) once.push_back(std::move(name));
  return once;
}

void AddQuestions(Pad& pad, const Summary& summary, const std::vector<std::string>& tables) {
  pad.Line("Next:");
  for (const SummaryCause& cause : summary.causes)
    pad.Line("  show " + IdOf(*cause.report, *cause.finding));
  for (const std::string& table : tables) pad.Line("  table " + table);
}

// The first table of each analysis that has rows, but those that were named already: all take more
// room than the rest.
void AddTables(Pad& pad, const ReportSet& answer, const std::vector<std::string>& named) {
  constexpr size_t kMost = 10;
  std::vector<std::string> tables;
  for (const Report& report : answer.reports) {
    const auto table =
        std::ranges::find_if(report.tables, [](const Table& t) { return !t.rows.empty(); });
    if (table == report.tables.end()) continue;
    const std::string name = report.analysis + "." + table->key;
    if (std::ranges::find(named, name) == named.end() && tables.size() < kMost)
      tables.push_back(fmt::format("{}({})", name, table->rows.size()));
  }
  if (!tables.empty()) pad.Line(fmt::format("Tables: {}", fmt::join(tables, " ")));
  pad.Line(fmt::format("All {}: table tables", Plural(ListTables(answer).size(), "table")));
}

// A cell of the one row that is shown.
std::string ShowCell(const Cell& cell, const Column& column) {
  if (IsBlank(cell)) return "-";
  if (std::holds_alternative<std::string>(cell)) return ShowShortly(cell, column.unit);
  std::string exact;
  if (const auto* whole = std::get_if<int64_t>(&cell)) AppendExact(exact, *whole);
  if (const auto* real = std::get_if<double>(&cell)) AppendExact(exact, *real);
  const std::string unit(UnitName(column.unit));
  if (unit.empty() || column.unit == Unit::kCount) return exact;
  return fmt::format("{} ({} {})", HumanCell(cell, column.unit), exact, unit);
}

std::string ShowRow(const Report& report, const Table& table, const std::vector<Cell>& row,
                    size_t budget) {
  Pad pad(budget);
  pad.Line(fmt::format("[{}] {}: {}", IdOf(report, table, row), report.title, table.title));
  for (size_t c = 0; c < table.columns.size() && c < row.size(); ++c) {
    pad.Line(fmt::format("  {}: {}", table.columns[c].title, ShowCell(row[c], table.columns[c])));
  }
  return std::move(pad).Take();
}

std::string ShowFinding(const ReportSet& answer, const Report& report, const Finding& finding,
                        size_t budget) {
  const QuotedNames names(answer);
  Pad pad(budget);
  AddFinding(pad, names, {&report, &finding, SayWorth(finding)});
  pad.Line(fmt::format("  place: {} of all findings", finding.place));
  for (const Evidence& e : finding.evidence) {
    pad.Line(fmt::format("  also {}: {}", e.analysis, names.In(e.message)));
    if (!e.because.empty()) pad.Line("    because: " + names.In(e.because));
    if (!e.table.empty()) pad.Line(fmt::format("    see: table {}.{}", e.analysis, e.table));
  }
  if (finding.table.empty()) return std::move(pad).Take();
  pad.Line(fmt::format("  see: table {}.{}", report.analysis, finding.table));
  std::string shown = std::move(pad).Take();
  const size_t used = shown.size() / kTokenBytes + 1;
  const auto rows = SelectRows(answer, {.table = report.analysis + "." + finding.table,
                                        .where = {},
                                        .columns = {},
                                        .sort = {},
                                        .top = 5,
                                        .after = {},
                                        .budget = budget > used ? budget - used : 0});
  return rows ? shown + *rows : shown;
}

// Others, such as those of goodput, have no ids and tables to ask for.
bool IsAboutSteps(const ReportSet& answer) { return FindReport(answer, "breakdown") != nullptr; }

}  // namespace

std::string Brief(const ReportSet& answer, size_t budget) {
  const Summary summary = Summarize(answer);
  const QuotedNames names(answer);
  Pad pad(budget);
  pad.Line(CutName(summary.subject, 200));
  pad.Line(names.In(summary.verdict));
  std::string head = "Causes, first by what mending them is worth:\n";  // none without a cause
  for (const SummaryCause& cause : summary.causes)
    AddFinding(pad, names, cause, std::exchange(head, {}));
  if (summary.more > 0)
    pad.Line(fmt::format("{} smaller: table findings", Plural(summary.more, "finding")));
  if (!IsAboutSteps(answer)) {
    for (const Report& report : answer.reports) AddNumbers(pad, names, report);
    return std::move(pad).Take();
  }
  AddStep(pad, summary.step);
  AddRanks(pad, summary.ranks);
  for (const std::string& sentence : summary.unseen) pad.Line(sentence);
  const std::vector<std::string> tables = TablesToAskFor(summary);
  AddQuestions(pad, summary, tables);
  AddTables(pad, answer, tables);
  return std::move(pad).Take();
}

Result<std::string> ShowById(const ReportSet& answer, std::string_view id, size_t budget) {
  for (const Report& report : answer.reports) {
    for (const Finding& finding : report.findings) {
      if (IdOf(report, finding) == id) return ShowFinding(answer, report, finding, budget);
    }
    if (!id.starts_with(report.analysis)) continue;
    for (const Table& table : report.tables) {
      if (!id.starts_with(report.analysis + "." + table.key + "#")) continue;
      for (const auto& row : table.rows) {
        if (IdOf(report, table, row) == id) return ShowRow(report, table, row, budget);
      }
    }
    const Table metrics = MetricsTable(report);
    for (const auto& row : metrics.rows) {
      if (IdOf(report, metrics, row) == id) return ShowRow(report, metrics, row, budget);
    }
  }
  return std::unexpected(Error{fmt::format("nothing in the answer has the id '{}'", id), "",
                               "take an id that 'brief' or 'table' printed for these traces"});
}

std::vector<std::string> ListTables(const ReportSet& answer) {
  std::vector<std::string> names;
  for (const Report& report : answer.reports) {
    for (const Table& table : report.tables) {
      if (!table.rows.empty())
        names.push_back(fmt::format("{}.{} ({}): {}", report.analysis, table.key,
                                    Plural(table.rows.size(), "row"), table.title));
    }
  }
  return names;
}

}  // namespace stepscope
