// Implements the comparison of kernels and operators.
#include "report/compare_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/saturate.h"
#include "report/columns.h"
#include "report/compare_sides.h"
#include "report/compare_steps.h"
#include "report/humanize.h"
#include "report/kernel_name.h"
#include "report/lookup.h"

namespace stepscope::comparison {
namespace {

constexpr double kSameTime = 0.05;  // means that differ by less count as the same
constexpr double kSameCalls = 0.05;
constexpr double kKernelMatters = 0.03;
constexpr std::string_view kBetween = " | ";  // texts shorten the names on both sides of it
constexpr double kOfItsKind = 0.5;            // of a kernel's rise, that its kind must rise too

std::string WhatHappened(const BothSides& u) {
  if (u.replaced) return "replaced";
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
  std::string_view side = {};  // only rows with this text in column "side"; empty: all rows
};

void AddUsage(const ReportSet& answer, const Source& source, bool short_names,
              Usage BothSides::* side, Usages& usages) {
  const Table* table = FindTable(FindReport(answer, source.analysis), source.table);
  if (table == nullptr) return;
  const auto name = FindColumn(*table, source.name), count = FindColumn(*table, source.count),
             time = FindColumn(*table, source.time), kind = FindColumn(*table, "kind");
  if (!name || !count || !time) return;
  const auto of_side = source.side.empty() ? std::nullopt : FindColumn(*table, "side");
  for (const auto& row : table->rows) {
    if (of_side && row[*of_side] != Cell(std::string(source.side))) continue;
    const auto* text = std::get_if<std::string>(&row[*name]);
    const auto* n = std::get_if<int64_t>(&row[*count]);
    const auto* t = std::get_if<int64_t>(&row[*time]);
    const auto* of = kind ? std::get_if<std::string>(&row[*kind]) : nullptr;
    if (text == nullptr || t == nullptr) continue;
    BothSides& both = usages[short_names ? ShortName(*text) : *text];
    if (of != nullptr) both.kind = *of;
    Usage& usage = both.*side;
    usage.count = AddSaturated(usage.count, n == nullptr ? 0 : *n);
    usage.time = AddSaturated(usage.time, *t);
  }
}

Usages UsagesOf(const ReportSet& a, const ReportSet& b, const Source& source, bool short_names) {
  Usages usages;
  AddUsage(a, source, short_names, &BothSides::a, usages);
  AddUsage(b, source, short_names, &BothSides::b, usages);
  return usages;
}

// Joins a kernel that lost calls with the one of its kind that gained as many. Where several did,
// the choice would be a guess.
void JoinReplaced(Usages& usages) {
  struct Moved {
    std::vector<Usages::iterator> from, to;
  };
  std::map<std::pair<std::string, int64_t>, Moved> moved;  // by kind and number of calls
  for (auto at = usages.begin(); at != usages.end(); ++at) {
    const BothSides& both = at->second;
    if (both.a.count == both.b.count || both.a.count < 0 || both.b.count < 0) continue;
    const bool lost = both.b.count < both.a.count;
    const int64_t calls = lost ? both.a.count - both.b.count : both.b.count - both.a.count;
    Moved& same = moved[{both.kind, calls}];
    (lost ? same.from : same.to).push_back(at);
  }
  const auto add = [](Usage& sum, const Usage& more) {
    sum.count = AddSaturated(sum.count, more.count);
    sum.time = AddSaturated(sum.time, more.time);
  };
  for (auto& [key, same] : moved) {
    if (same.from.size() != 1 || same.to.size() != 1) continue;
    BothSides both = same.from[0]->second;
    add(both.a, same.to[0]->second.a);
    add(both.b, same.to[0]->second.b);
    both.replaced = true;
    std::string name = same.from[0]->first + std::string(kBetween) + same.to[0]->first;
    usages.erase(same.from[0]);
    usages.erase(same.to[0]);
    usages.emplace(std::move(name), std::move(both));
  }
}

// "new (in place of old)" of a replaced one.
Phrase SayName(const std::string& name, bool replaced) {
  const size_t at = replaced ? name.find(kBetween) : name.npos;
  if (at == name.npos) return Phrase::Name(ShortName(name));
  return Say("{kernel} (in place of {replaced})",
             Phrase::Name(ShortName(name.substr(at + kBetween.size()))),
             Phrase::Name(ShortName(name.substr(0, at))));
}

// "26.3% longer", "4.3× as long".
Phrase SayLonger(double factor) {
  return factor < 2 ? Say("{share} longer", HumanRatio(factor - 1))
                    : Say("{times}× as long", fmt::format("{:.1f}", factor));
}

bool IsSameCollective(const BothSides& both, const Amounts& amounts) {
  if (both.kind != ColumnKindName(ColumnKind::kCommunication)) return false;
  const double before = static_cast<double>(both.a.count) / amounts.a;
  return std::abs(static_cast<double>(both.b.count) / amounts.b - before) <= kSameCalls * before;
}

}  // namespace

Usages CompareKernels(const ReportSet& a, const ReportSet& b, const CompareOptions& options) {
  constexpr Source kKernels{"kernel_breakdown", "kernels", "name", "count", "sum"};
  Usages usages = UsagesOf(a, b, kKernels, options.short_names);
  if (options.join_replaced) JoinReplaced(usages);
  return usages;
}

Usages CompareOperators(const ReportSet& a, const ReportSet& b) {
  constexpr Source kOperators{"operator_kernels", "operators", "operator", "count", "gpu_time"};
  return UsagesOf(a, b, kOperators, false);
}

Usages CompareShapes(const ReportSet& a, const ReportSet& b) {
  constexpr Source kShapes{"shapes", "shapes", "call", "calls", "device_time"};
  return UsagesOf(a, b, kShapes, false);
}

namespace {

// What happened, and both sides of count and time.
void AddUsageColumns(Table& table, const Column& time) {
  AddColumns(table, {Words(ValueColumn("change", "change"))});
  for (const Column& column : {CountColumn("count", "count"), time}) {
    std::ranges::move(Sides(column), std::back_inserter(table.columns));
  }
  table.columns[ColumnAt(table, "count_change_ratio")].detail = true;
}

// A row for each, by how much its time changed; `first` are the cells before its name.
void AddUsageRows(Table& table, const std::vector<Cell>& first, const Usages& usages) {
  std::vector<const Usages::value_type*> order;
  for (const auto& usage : usages) order.push_back(&usage);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto* u) { return std::abs(u->second.Change()); });
  for (const auto* usage : order) {
    const auto& [name, both] = *usage;
    std::vector<Cell> row = first;
    row.insert(row.end(), {name, WhatHappened(both)});
    for (const auto& cells : {SideCells(both.a.count, both.b.count, Unit::kCount),
                              SideCells(both.a.time, both.b.time, Unit::kNanoseconds)}) {
      row.insert(row.end(), cells.begin(), cells.end());
    }
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

Table UsageTable(std::string key, Phrase title, const Usages& usages) {
  Table table{.key = std::move(key),
              .title = std::move(title),
              .columns = {KeyColumn("name", "name")},
              .text_rows = 12};
  AddUsageColumns(table, TimeColumn("gpu_time", "device time"));
  AddUsageRows(table, {}, usages);
  return table;
}

Table HostTable(const ReportSet& a, const ReportSet& b) {
  constexpr std::pair<std::string_view, Source> kSources[] = {
      {"operator", {"operator_kernels", "operators", "operator", "count", "host_time"}},
      {"runtime call", {"launch_stats", "runtime_calls", "call", "count", "sum"}},
      {"annotation", {"user_annotations", "annotations", "annotation", "count", "sum", "host"}}};
  Table table{.key = "host",
              .title = "Host calls by change",
              .columns = {Words(KeyColumn("kind", "kind")), KeyColumn("name", "name")},
              .text_rows = 0};
  AddUsageColumns(table, TimeColumn("host_time", "host time"));
  for (const auto& [kind, source] : kSources)
    AddUsageRows(table, {std::string(kind)}, UsagesOf(a, b, source, false));
  return table;
}

int64_t Total(const Usages& usages, Usage BothSides::* side) {
  int64_t total = 0;
  for (const auto& [name, both] : usages) total = AddSaturated(total, (both.*side).time);
  return total;
}

Amounts AmountsOf(const ReportSet& a, const ReportSet& b) {
  const double in_a = MetricOf(a, "overview", "steps"), in_b = MetricOf(b, "overview", "steps");
  if (in_a <= 0 || in_b <= 0) return {};
  return {in_a, in_b, true};
}

namespace {

// Where a run has ranks that are not compared, the others may wait for them in collectives.
Phrase SayMoreTime(const Phrase& kernel, const std::string& more, bool per_step, bool waits) {
  if (waits)
    return per_step ? Say("{kernel} takes {time} more per step; it may wait there for ranks that "
                          "are not compared.",
                          kernel, more)
                    : Say("{kernel} takes {time} more; it may wait there for ranks that are not "
                          "compared.",
                          kernel, more);
  return per_step ? Say("{kernel} takes {time} more device time per step.", kernel, more)
                  : Say("{kernel} takes {time} more device time.", kernel, more);
}

Phrase HintOnKernel(bool communicates, bool waits, bool one_factor) {
  if (waits)
    return "analyze the run after alone: its first sentence names the rank that the others wait "
           "for, if one stands out";
  if (communicates)
    return "compare sizes and numbers of collectives, the ranks that come late, and the links; "
           "see stragglers and collectives";
  if (one_factor)
    return "the same calls on the same shapes are all slower: check clocks, temperature and other "
           "processes";
  return "check what changed for this kernel: shapes, data types, library versions; table "
         "operators shows its callers";
}

// ns per step that a kernel's change counts for: of one that communicates, what is not hidden.
double CountedOf(const BothSides& both, const Amounts& amounts, const StepComparison& steps) {
  double change = amounts.ChangeOf(both);
  if (both.kind != ColumnKindName(ColumnKind::kCommunication)) return change;
  for (const CategoryChange& c : steps.categories) {
    if (c.cause == CauseKind::kCommunication && !c.key.empty())
      change = std::min(change, c.Change());
  }
  return change;
}

}  // namespace

void AddKernelFinding(Report& report, const Usages& kernels, const Amounts& amounts,
                      const StepComparison& steps, const KernelContext& context) {
  const Usages::value_type* most = nullptr;
  std::map<std::string, double> kinds;
  for (const auto& usage : kernels) {
    kinds[usage.second.kind] += amounts.ChangeOf(usage.second);
    // As many collectives take longer because ranks wait in them.
    if (IsSameCollective(usage.second, amounts) && (context.collectives_wait || steps.IsNoise()))
      continue;
    const double change = CountedOf(usage.second, amounts, steps);
    if (most == nullptr || change > CountedOf(most->second, amounts, steps)) most = &usage;
  }
  const double before = static_cast<double>(Total(kernels, &BothSides::a)) / amounts.a;
  if (most == nullptr || before == 0) return;
  const auto& [name, both] = *most;
  const double change = CountedOf(both, amounts, steps), longer = amounts.ChangeOf(both);
  if (change < kKernelMatters * before || kinds[both.kind] < kOfItsKind * longer) return;
  const auto ran = [](const Usage& usage) {
    return Say("{calls} in {time}", Plural(static_cast<size_t>(usage.count), "call"),
               HumanTime(static_cast<double>(usage.time)));
  };
  const bool communicates = both.kind == ColumnKindName(ColumnKind::kCommunication);
  if (IsNoise(steps, communicates ? CauseKind::kCommunication : CauseKind::kCompute)) return;
  const bool waits = communicates && context.ranks_differ;
  report.findings.push_back({.message = SayMoreTime(SayName(name, both.replaced), HumanTime(longer),
                                                    amounts.per_step, waits),
                             .because = Say("in total, {before} before, {after} after ({change})",
                                            ran(both.a), ran(both.b), WhatHappened(both)),
                             .hint = HintOnKernel(communicates, waits, context.one_factor),
                             .impact = ToInt64(change),
                             .table = "kernels",
                             .cause = {communicates ? CauseKind::kWait : CauseKind::kCompute},
                             .at_most = waits ? Severity::kLow : Severity::kHigh});
}

void AddShapeFinding(Report& report, const Usages& shapes, const Usages& kernels,
                     const Amounts& amounts, bool one_factor) {
  const double before = static_cast<double>(Total(kernels, &BothSides::a)) / amounts.a;
  const Usages::value_type* most = nullptr;
  double change = 0;  // ns, of a step after
  for (const auto& usage : shapes) {
    const auto& [name, both] = usage;
    if (both.kind == ColumnKindName(ColumnKind::kCommunication)) continue;
    if (both.a.count <= 0 || both.b.count <= 0) continue;
    if (both.b.Mean() <= (1 + kSameTime) * both.a.Mean()) continue;
    const double own =
        (both.b.Mean() - both.a.Mean()) * static_cast<double>(both.b.count) / amounts.b;
    if (own <= change) continue;
    most = &usage;
    change = own;
  }
  if (most == nullptr || before <= 0 || change < kKernelMatters * before) return;
  const auto& [name, both] = *most;
  const auto ran = [](const Usage& usage) {
    return Say("{calls} of {time}", Plural(static_cast<size_t>(usage.count), "call"),
               HumanTime(usage.Mean()));
  };
  const Phrase ran_before = ran(both.a), ran_after = ran(both.b);
  const std::string more = HumanTime(change);
  report.findings.push_back(
      {.message = Say("Calls of {call} take {longer}.", Phrase::Name(name),
                      SayLonger(both.b.Mean() / both.a.Mean())),
       .because = amounts.per_step
                      ? Say("{before} before, {after} after: {time} of device time per step",
                            ran_before, ran_after, more)
                      : Say("{before} before, {after} after: {time} of device time", ran_before,
                            ran_after, more),
       .hint = one_factor
                   ? "sizes are the same: check clocks, temperature, and what runs at the same "
                     "time; time one call alone (`repro`, with its id in shapes)"
                   : "sizes are the same: check library versions, and what runs at the same time; "
                     "time one call alone (`repro`, with its id in shapes)",
       .impact = ToInt64(change),
       .table = "shapes",
       .cause = {CauseKind::kCompute},
       .nearness = Nearness::kPart});
}

}  // namespace stepscope::comparison
