// Compares two answers report by report and row by row.
#include "stepscope/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "base/saturate.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

namespace stepscope {
namespace {

constexpr double kSameTime = 0.05;  // means that differ by less count as the same
constexpr double kWorthSaying = 0.03;

bool IsNumber(const Cell& cell) {
  return std::holds_alternative<int64_t>(cell) || std::holds_alternative<double>(cell);
}

bool IsText(const Cell& cell) { return std::holds_alternative<std::string>(cell); }

double NumberOf(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

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

// The columns or metrics of a compared number: a, b, change, and change ratio. People see side b
// and its relative change. Ratios show no change: the numbers they follow from do.
std::vector<Column> Sides(const Column& column) {
  const bool is_ratio = column.unit == Unit::kRatio;
  const Unit change = column.unit == Unit::kUnixTime ? Unit::kNanoseconds
                      : is_ratio                     ? Unit::kRatioDifference
                                                     : column.unit;
  return {{column.key + "_a", column.title + ", a", column.unit, Role::kValue, /*detail=*/true},
          {column.key + "_b", column.title, column.unit, Role::kValue, /*detail=*/is_ratio},
          {column.key + "_change", column.title + ", b - a", change, Role::kValue, /*detail=*/true},
          {column.key + "_change_ratio", column.title + ", change", Unit::kRatio, Role::kValue,
           is_ratio}};
}

std::vector<Cell> SideCells(const Cell& a, const Cell& b, Unit unit) {
  // Times of day are not compared.
  return {a, b, Change(a, b), unit == Unit::kUnixTime ? Cell() : ChangeRatio(a, b)};
}

const Report* FindReport(const ReportSet& answer, std::string_view analysis) {
  const auto at = std::ranges::find(answer.reports, analysis, &Report::analysis);
  return at == answer.reports.end() ? nullptr : &*at;
}

const Table* FindTable(const Report* report, std::string_view key) {
  if (report == nullptr) return nullptr;
  const auto at = std::ranges::find(report->tables, key, &Table::key);
  return at == report->tables.end() ? nullptr : &*at;
}

std::optional<size_t> FindColumn(const Table& table, std::string_view key) {
  const auto at = std::ranges::find(table.columns, key, &Column::key);
  if (at == table.columns.end()) return std::nullopt;
  return static_cast<size_t>(at - table.columns.begin());
}

// Whether all rows have the same value in the column.
bool IsConstant(const Table& table, size_t column) {
  return std::ranges::all_of(
      table.rows, [&](const auto& row) { return row[column] == table.rows.front()[column]; });
}

// Two tables of one key, and how their rows match: by the keys that both have. A number that is the
// same in all rows of a side need not match, such as the rank of runs of one rank. A name must
// match.
class RowMatch {
 public:
  RowMatch(const Table& a, const Table& b) : a_(a), b_(b) {
    std::optional<Pair> dropped;  // the first key that need not match
    for (size_t c = 0; c < a.columns.size(); ++c) {
      const auto other = FindColumn(b, a.columns[c].key);
      if (!other) continue;
      if (a.columns[c].key == a.kind_column && a.columns[c].role == Role::kValue) continue;
      if (a.columns[c].role == Role::kValue) {
        values_.push_back({c, *other});
      } else if (MustAgree(c, *other)) {
        keys_.push_back({c, *other});
      } else if (!dropped) {
        dropped = {c, *other};
      }
    }
    // The key is still shown in the only row.
    if (keys_.empty() && dropped) {
      keys_.push_back(*dropped);
      only_key_ = fmt::format("{}, a; {}, b", HumanCell(a.rows.front()[dropped->a], {}),
                              HumanCell(b.rows.front()[dropped->b], {}));
    }
  }

  Table Build() const {
    Table out{.key = a_.key, .title = a_.title, .text_rows = std::min<size_t>(a_.text_rows, 8)};
    for (const Pair& key : keys_) out.columns.push_back(a_.columns[key.a]);
    for (const Pair& value : values_) {
      std::ranges::move(Sides(a_.columns[value.a]), std::back_inserter(out.columns));
    }
    std::map<std::vector<Cell>, std::pair<const Cells*, const Cells*>> rows;
    std::vector<std::vector<Cell>> order;
    for (const Cells& row : a_.rows) {
      auto [at, is_new] = rows.try_emplace(KeyOf(row, &Pair::a));
      if (is_new) order.push_back(at->first);
      at->second.first = &row;
    }
    for (const Cells& row : b_.rows) {
      auto [at, is_new] = rows.try_emplace(KeyOf(row, &Pair::b));
      if (is_new) order.push_back(at->first);
      at->second.second = &row;
    }
    for (const auto& key : order) {
      const auto& [a, b] = rows[key];
      out.rows.push_back(key);
      for (const Pair& value : values_) {
        std::ranges::move(
            SideCells(a == nullptr ? Cell() : (*a)[value.a], b == nullptr ? Cell() : (*b)[value.b],
                      a_.columns[value.a].unit),
            std::back_inserter(out.rows.back()));
      }
    }
    return out;
  }

 private:
  using Cells = std::vector<Cell>;
  struct Pair {
    size_t a, b;
  };
  bool MustAgree(size_t a, size_t b) const {
    if (a_.rows.empty() || b_.rows.empty() || !IsConstant(a_, a) || !IsConstant(b_, b)) return true;
    const Cell &in_a = a_.rows.front()[a], &in_b = b_.rows.front()[b];
    return in_a == in_b || IsText(in_a) || IsText(in_b);
  }
  Cells KeyOf(const Cells& row, size_t Pair::* side) const {
    if (!only_key_.empty()) return {only_key_};
    Cells key;
    for (const Pair& column : keys_) key.push_back(row[column.*side]);
    return key;
  }

  const Table& a_;
  const Table& b_;
  std::vector<Pair> keys_, values_;
  std::string only_key_;  // of the only row, if its keys do not match
};

void CompareMetrics(const Report& a, const Report& b, Report& out) {
  for (const Metric& metric : a.metrics) {
    const auto other = std::ranges::find(b.metrics, metric.key, &Metric::key);
    if (other == b.metrics.end()) continue;
    const auto columns = Sides({metric.key, metric.title, metric.unit});
    const auto cells = SideCells(metric.value, other->value, metric.unit);
    for (size_t i = 0; i < columns.size(); ++i) {
      // The headline has both sides' texts.
      out.metrics.push_back(
          {columns[i].key, columns[i].title, cells[i], columns[i].unit, /*detail=*/true});
    }
  }
}

Report CompareReports(const Report& a, const Report& b) {
  Report out{.analysis = a.analysis, .title = a.title};
  for (const auto& [report, side] : {std::pair(&a, "a"), std::pair(&b, "b")}) {
    if (report->status != Status::kUnavailable) continue;
    out.status = Status::kUnavailable;
    out.why = fmt::format("{}: {}", side, report->why);
    return out;
  }
  out.headline = a.headline == b.headline
                     ? "In both: " + a.headline
                     : fmt::format("In a: {} In b: {}", a.headline, b.headline);
  CompareMetrics(a, b, out);
  for (const Table& table : a.tables) {
    const Table* other = FindTable(&b, table.key);
    if (other != nullptr) out.tables.push_back(RowMatch(table, *other).Build());
  }
  return out;
}

// Count and time of a kernel or operator on one side.
struct Usage {
  int64_t count = 0, time = 0;
  double Mean() const { return static_cast<double>(time) / static_cast<double>(count); }
};
struct BothSides {
  Usage a, b;
  int64_t Change() const { return b.time - a.time; }
};
using Usages = std::map<std::string, BothSides>;

std::string WhatHappened(const BothSides& u) {
  if (u.a.count == 0) return "added";
  if (u.b.count == 0) return "removed";
  if (u.a.count != u.b.count) return u.b.count > u.a.count ? "more" : "fewer";
  const double change = u.b.Mean() - u.a.Mean();
  if (std::abs(change) <= kSameTime * u.a.Mean()) return "same";
  return change > 0 ? "slower" : "faster";
}

// Sums a table's rows by the text in column `name`.
struct Source {
  std::string_view analysis, table, name, count, time;
};

void AddUsage(const ReportSet& answer, const Source& source, bool short_names,
              Usage BothSides::* side, Usages& usages) {
  const Table* table = FindTable(FindReport(answer, source.analysis), source.table);
  if (table == nullptr) return;
  const auto name = FindColumn(*table, source.name), count = FindColumn(*table, source.count),
             time = FindColumn(*table, source.time);
  if (!name || !count || !time) return;
  for (const auto& row : table->rows) {
    const auto* text = std::get_if<std::string>(&row[*name]);
    const auto* n = std::get_if<int64_t>(&row[*count]);
    const auto* t = std::get_if<int64_t>(&row[*time]);
    if (text == nullptr || t == nullptr) continue;
    Usage& usage = usages[short_names ? ShortName(*text) : *text].*side;
    usage.count = AddSaturated(usage.count, n == nullptr ? 0 : *n);
    usage.time = AddSaturated(usage.time, *t);
  }
}

Table UsageTable(std::string key, std::string title, const Usages& usages) {
  Table table{.key = std::move(key),
              .title = std::move(title),
              .columns = {{"name", "name", Unit::kNone, Role::kKey}, {"change", "change"}},
              .text_rows = 12};
  for (const Column& column : {Column{"count", "count", Unit::kCount},
                               Column{"gpu_time", "device time", Unit::kNanoseconds}}) {
    auto sides = Sides(column);
    const bool is_time = column.unit == Unit::kNanoseconds;
    sides[0].detail = false;
    sides[1].title += ", b";
    sides[2].detail = !is_time;
    sides[3].detail = !is_time;
    std::ranges::move(sides, std::back_inserter(table.columns));
  }
  std::vector<const Usages::value_type*> order;
  for (const auto& usage : usages) order.push_back(&usage);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto* u) { return std::abs(u->second.Change()); });
  for (const auto* usage : order) {
    const auto& [name, both] = *usage;
    table.rows.push_back({name, WhatHappened(both)});
    for (const auto& cells : {SideCells(both.a.count, both.b.count, Unit::kCount),
                              SideCells(both.a.time, both.b.time, Unit::kNanoseconds)}) {
      table.rows.back().insert(table.rows.back().end(), cells.begin(), cells.end());
    }
  }
  return table;
}

int64_t Total(const Usages& usages, Usage BothSides::* side) {
  int64_t total = 0;
  for (const auto& [name, both] : usages) total = AddSaturated(total, (both.*side).time);
  return total;
}

// What times of two runs are divided by: 1, or the number of steps where the runs have different
// numbers of steps.
struct Amounts {
  double a = 1, b = 1;
  std::string_view each;  // "" or " per step"

  double ChangeOf(const BothSides& both) const {
    return static_cast<double>(both.b.time) / b - static_cast<double>(both.a.time) / a;
  }
};

double NumberOf(const ReportSet& answer, std::string_view analysis, std::string_view metric) {
  const Report* report = FindReport(answer, analysis);
  if (report == nullptr) return 0;
  const auto at = std::ranges::find(report->metrics, metric, &Metric::key);
  return at == report->metrics.end() || !IsNumber(at->value) ? 0 : NumberOf(at->value);
}

Amounts AmountsOf(const ReportSet& a, const ReportSet& b) {
  const double in_a = NumberOf(a, "overview", "steps"), in_b = NumberOf(b, "overview", "steps");
  if (in_a <= 0 || in_b <= 0 || in_a == in_b) return {};
  return {in_a, in_b, " per step"};
}

// "1.20 s (a) vs 1.30 s (b), +8.3%".
std::string SaySides(double a, double b) {
  std::string text = fmt::format("{} (a) vs {} (b)", HumanTime(a), HumanTime(b));
  if (a > 0 && b < 10 * a) text += fmt::format(", {:+.1f}%", (b - a) / a * 100);
  return text;
}

// Adds the largest change, if it is relevant.
void AddFinding(Report& report, const Usages& usages, const Amounts& amounts) {
  const Usages::value_type* most = nullptr;
  for (const auto& usage : usages) {
    const bool more =
        most == nullptr || amounts.ChangeOf(usage.second) > amounts.ChangeOf(most->second);
    if (more) most = &usage;
  }
  const double before = static_cast<double>(Total(usages, &BothSides::a)) / amounts.a;
  if (most == nullptr || before == 0) return;
  const auto& [name, both] = *most;
  const double change = amounts.ChangeOf(both), share = change / before;
  if (share < kWorthSaying) return;
  const auto ran = [](const Usage& usage) {
    return fmt::format("{} in {}", Plural(static_cast<size_t>(usage.count), "call"),
                       HumanTime(static_cast<double>(usage.time)));
  };
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kHigh : Severity::kMedium,
       .message = fmt::format("{} takes {} more device time{} in b than in a.", ShortName(name),
                              HumanTime(change), amounts.each),
       .because = fmt::format("{}{} in b vs {} in a ({})", amounts.each.empty() ? "" : "in total, ",
                              ran(both.b), ran(both.a), WhatHappened(both)),
       .hint = "check what changed for this kernel: shapes, data types, library versions; table "
               "operators shows its callers",
       .impact = static_cast<int64_t>(std::min(change, 9e18)),
       .table = "kernels"});
}

Report CompareUsage(const ReportSet& a, const ReportSet& b, const CompareOptions& options) {
  Report report{.analysis = "compare", .title = "Comparison of a and b"};
  constexpr Source kKernels{"kernel_breakdown", "kernels", "name", "count", "sum"};
  constexpr Source kOperators{"operator_kernels", "operators", "operator", "count", "gpu_time"};
  Usages kernels, operators;
  AddUsage(a, kKernels, options.short_names, &BothSides::a, kernels);
  AddUsage(b, kKernels, options.short_names, &BothSides::b, kernels);
  AddUsage(a, kOperators, false, &BothSides::a, operators);
  AddUsage(b, kOperators, false, &BothSides::b, operators);
  if (kernels.empty() && operators.empty()) {
    report.status = Status::kUnavailable;
    report.why = "neither side has kernels or operators";
    return report;
  }
  const Amounts amounts = AmountsOf(a, b);
  const double step_a = NumberOf(a, "overview", "step_time_median");
  const double step_b = NumberOf(b, "overview", "step_time_median");
  if (step_a > 0 && step_b > 0)
    report.headline = fmt::format("Step time is {}. ", SaySides(step_a, step_b));
  report.headline +=
      fmt::format("Kernel time{} is {}.", amounts.each.empty() ? "" : " per step",
                  SaySides(static_cast<double>(Total(kernels, &BothSides::a)) / amounts.a,
                           static_cast<double>(Total(kernels, &BothSides::b)) / amounts.b));
  if (!amounts.each.empty()) {
    report.notes.push_back(
        {"different_amounts", 1,
         fmt::format("a has {:.0f} steps of ranks and b {:.0f} (sums in the tables differ by that; "
                     "select as many of both with `steps` and `ranks`)",
                     amounts.a, amounts.b),
         ""});
  }
  if (!operators.empty()) {
    report.tables.push_back(UsageTable("operators", "Operators by change", operators));
  }
  if (!kernels.empty()) {
    report.tables.push_back(UsageTable("kernels", "Kernels by change", kernels));
  }
  AddFinding(report, kernels, amounts);
  return report;
}

RunInfo BothRuns(const ReportSet& a, const ReportSet& b) {
  RunInfo run = a.run;
  run.name = fmt::format("{} vs {}", b.run.name, a.run.name);
  run.files.insert(run.files.end(), b.run.files.begin(), b.run.files.end());
  run.notes.insert(run.notes.end(), b.run.notes.begin(), b.run.notes.end());
  run.ranks = std::max(a.run.ranks, b.run.ranks);
  if (b.run.steps != a.run.steps) run.steps += " and " + b.run.steps;
  return run;
}

}  // namespace

ReportSet Compare(const ReportSet& a, const ReportSet& b, const CompareOptions& options) {
  ReportSet out{.run = BothRuns(a, b)};
  out.reports.push_back(CompareUsage(a, b, options));
  for (const Report& report : a.reports) {
    const Report* other = FindReport(b, report.analysis);
    if (other != nullptr) out.reports.push_back(CompareReports(report, *other));
  }
  const Report& first = out.reports.front();
  out.verdict = first.status == Status::kUnavailable ? "Nothing to compare: " + first.why + "."
                                                     : first.headline;
  if (!first.findings.empty()) out.verdict += " " + first.findings.front().message;
  return out;
}

}  // namespace stepscope
