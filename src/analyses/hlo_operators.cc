// Reports device time, FLOP/s and bandwidth of each HLO op of compiled XLA programs.
#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/sort_runs.h"
#include "base/time_units.h"
#include "facts/operators/compiled_ops.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace hlo_operators {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which HLO ops take device time, what FLOP/s and bandwidth do they reach, and where are they in the
model's code?

**Definition:** Device activities that name an HLO op are grouped by op and module. `occurrences` counts kernels.
`total` is the sum of their durations. `self` excludes ops inside on the same stream, as in the body of a loop.
`flop_rate` and `byte_rate` are the counts for one execution, times executions, over `self`. They are the profile's own,
or else follow from the program by the rules of XLA's cost analysis. If an op has several kernels, the most frequent one
gives the number of executions. `lines` adds up ops by the framework op and the source line that the compiler recorded for
them: for a fusion, those of its result.

**Limitations:** Custom calls other than matrix products and convolutions of libraries have no FLOPs. The counts are
from the program, not measured. Functions such as exp() are not FLOPs.

**Interpretation:** An op with high bandwidth and low FLOP/s moves data: fuse it with its neighbors. `framework_op`
and `source` lead back to the model's code. `flops` compares the rates with the device's peak.
)md";

struct Key {
  StringId op = 0, module = kNoString;
  bool operator==(const Key&) const = default;
  auto operator<=>(const Key&) const = default;
};

struct Sum {
  int64_t occurrences = 0, total = 0, self = 0;  // ns
  double flops = 0, bytes = 0;
  int64_t executions = 0, with_flops = 0, with_bytes = 0;  // all; those with a known count
  StringId category = kNoString, framework_op = kNoString, source = kNoString;

  void Add(const Sum& o) {
    occurrences += o.occurrences;
    total = AddSaturated(total, o.total);
    self = AddSaturated(self, o.self);
    flops += o.flops;
    bytes += o.bytes;
    executions += o.executions;
    with_flops += o.with_flops;
    with_bytes += o.with_bytes;
    // If names differ, the smallest id, so that the result does not depend on order.
    category = std::min(category, o.category);
    framework_op = std::min(framework_op, o.framework_op);
    source = std::min(source, o.source);
  }
  Cell FlopRate() const { return Rate(flops, with_flops); }
  Cell ByteRate() const { return Rate(bytes, with_bytes); }

 private:
  Cell Rate(double amount, int64_t known) const {
    return When(self > 0 && known == executions, PerSecond(amount, static_cast<double>(self)));
  }
};

// Of a line: its operator as `op`, and the source line as `module`.
using Sums = std::map<Key, Sum>;

// An op that ran, and its time without the ops inside it.
struct Execution {
  uint32_t activity = 0;  // index into RankActivity::activities
  int64_t self = 0;       // ns
};

// By stream, then start, then longest first, so that outer ops come before inner ones.
std::vector<Execution> ExecutionsOf(const RankActivity& rank) {
  const auto is_one = [&](const Activity& activity) {
    const KernelDetail* kernel = rank.KernelOf(activity);
    return kernel != nullptr && kernel->hlo_op != kNoString;
  };
  std::vector<Execution> executions;
  executions.reserve(static_cast<size_t>(std::ranges::count_if(rank.activities, is_one)));
  for (uint32_t w = 0; w < rank.activities.size(); ++w) {
    if (is_one(rank.activities[w])) executions.push_back({w, rank.activities[w].duration()});
  }
  const auto key = [&](const Execution& e) {
    const Activity& activity = rank.activities[e.activity];
    return std::tuple(activity.stream, activity.start, -activity.end);
  };
  SortRuns(executions, {}, key);
  return executions;
}

void SubtractInner(const RankActivity& rank, std::vector<Execution>& executions) {
  std::vector<Execution*> open;
  for (Execution& e : executions) {
    const Activity& activity = rank.activities[e.activity];
    const auto holds = [&](const Activity& outer) {
      return outer.stream == activity.stream && outer.end >= activity.end &&
             outer.end > activity.start;
    };
    while (!open.empty() && !holds(rank.activities[open.back()->activity])) open.pop_back();
    if (!open.empty()) open.back()->self = AddSaturated(open.back()->self, -activity.duration());
    open.push_back(&e);
  }
}

void AddRank(const StringTable& names, const RankActivity& rank, Sums& sums, Sums& lines) {
  std::vector<Execution> executions = ExecutionsOf(rank);
  SubtractInner(rank, executions);
  const CompiledOps ops(names, rank);
  for (const auto& [index, self] : executions) {
    const Activity& activity = rank.activities[index];
    const KernelDetail* kernel = rank.KernelOf(activity);
    const bool stands = ops.StandsForExecution(activity, *kernel);
    const bool flops = stands && kernel->flops >= 0, bytes = stands && kernel->bytes >= 0;
    const Sum sum{.occurrences = 1,
                  .total = activity.duration(),
                  .self = std::max<int64_t>(self, 0),
                  .flops = flops ? static_cast<double>(kernel->flops) : 0,
                  .bytes = bytes ? static_cast<double>(kernel->bytes) : 0,
                  .executions = stands ? 1 : 0,
                  .with_flops = flops ? 1 : 0,
                  .with_bytes = bytes ? 1 : 0,
                  .category = kernel->hlo_category,
                  .framework_op = kernel->framework_op,
                  .source = kernel->source};
    sums[{kernel->hlo_op, kernel->hlo_module}].Add(sum);
    lines[{kernel->framework_op, kernel->source}].Add(sum);
  }
}

std::vector<Column> ValueColumns() {
  Column total = TimeColumn("total", "total");
  total.detail = true;
  return {KeyColumn("module", "module"),
          KeyColumn("hlo_op", "HLO op"),
          {"category", "category"},
          CountColumn("occurrences", "count"),
          total,
          TimeColumn("self", "self"),
          RatioColumn("share", "% of HLO time"),
          {"flop_rate", "FLOP/s", Unit::kFlopPerSecond},
          {"byte_rate", "bytes/s", Unit::kBytesPerSecond},
          {"framework_op", "framework op"},
          {"source", "source line"}};
}

Cell Text(const Facts& facts, StringId id) {
  return id == kNoString ? Cell() : Cell(std::string((*facts.names)[id]));
}

// Appends rows, largest self time first.
void AddRows(Table& table, const Facts& facts, const Sums& sums, const std::vector<Cell>& prefix) {
  int64_t whole = 0;
  for (const auto& [key, sum] : sums) whole = AddSaturated(whole, sum.self);
  std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
  std::ranges::sort(rows, [&](const auto& a, const auto& b) {
    const auto key = [&](const auto& row) {
      return std::tuple(-row.second.self, -row.second.total, (*facts.names)[row.first.op],
                        Text(facts, row.first.module));
    };
    return key(a) < key(b);
  });
  for (const auto& [key, sum] : rows) {
    auto row = prefix;
    row.insert(row.end(), {Text(facts, key.module), std::string((*facts.names)[key.op]),
                           Text(facts, sum.category), sum.occurrences, sum.total, sum.self,
                           Ratio(sum.self, whole), sum.FlopRate(), sum.ByteRate(),
                           Text(facts, sum.framework_op), Text(facts, sum.source)});
    table.rows.push_back(std::move(row));
  }
}

// The same time by what the program's text says of it.
Table LinesTable(const Facts& facts, const Sums& lines) {
  Table table{.key = "lines",
              .title = "Device time by line",
              .columns = {KeyColumn("framework_op", "framework op"),
                          KeyColumn("source", "source line"),
                          CountColumn("occurrences", "count"),
                          TimeColumn("self", "self"),
                          RatioColumn("share", "% of HLO time"),
                          {"flop_rate", "FLOP/s", Unit::kFlopPerSecond},
                          {"byte_rate", "bytes/s", Unit::kBytesPerSecond}},
              .text_rows = 8};
  SetKinds(table, {{"self", ColumnKind::kCompute}});
  int64_t whole = 0;
  for (const auto& [key, sum] : lines) whole = AddSaturated(whole, sum.self);
  for (const auto& [key, sum] : lines) {
    table.rows.push_back({Text(facts, key.op), Text(facts, key.module), sum.occurrences, sum.self,
                          Ratio(sum.self, whole), sum.FlopRate(), sum.ByteRate()});
  }
  std::ranges::sort(table.rows, [](const auto& a, const auto& b) {
    const auto key = [](const auto& row) { return std::tie(row[0], row[1]); };
    const int64_t own = std::get<int64_t>(a[3]), other = std::get<int64_t>(b[3]);
    return own != other ? own > other : key(a) < key(b);
  });
  return table;
}

// Whether compiled programs of JAX ran on processors: their ops are operators of threads.
bool RanOnHost(const Facts& facts) {
  return std::ranges::any_of(facts.ranks, [](const RankActivity& rank) {
    return rank.on_host && rank.framework == Framework::kJax;
  });
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kHloOperators, facts);
  if (report.status == Status::kUnavailable) return report;
  std::map<int64_t, Sums> ranks;
  Sums all, lines;
  int64_t work_time = 0;
  for (const RankActivity& rank : facts.ranks) {
    AddRank(*facts.names, rank, ranks[rank.rank], lines);
    for (const Activity& activity : rank.activities)
      work_time = AddSaturated(work_time, activity.duration());
  }
  for (const auto& [rank, sums] : ranks) {
    for (const auto& [key, sum] : sums) all[key].Add(sum);
  }
  if (all.empty()) {
    MakeUnavailable(report, RanOnHost(facts)
                                ? "HLO ops ran on the host, and this analysis has those of "
                                  "devices only: see operators"
                                : "no activity in the traces names an HLO op");
    return report;
  }
  Table top{.key = "top", .title = "HLO ops, all ranks", .text_rows = 8};
  Table operators{.key = "operators",
                  .title = "HLO ops per rank",
                  .columns = {KeyColumn("rank", "rank")},
                  .text_rows = 0};
  AddColumns(top, ValueColumns());
  AddColumns(operators, ValueColumns());
  SetKinds(top, {{"self", ColumnKind::kCompute}});
  AddRows(top, facts, all, {});
  for (const auto& [rank, sums] : ranks) AddRows(operators, facts, sums, {rank});
  int64_t self = 0;
  for (const auto& [key, sum] : all) self = AddSaturated(self, sum.self);
  report.metrics = {
      {"hlo_ratio", "HLO ops, % of device time", Ratio(self, work_time), Unit::kRatio}};
  const auto& first = top.rows[0];
  report.headline = Say("{ops} ran; the costliest is {op} ({time}).", Plural(all.size(), "HLO op"),
                        Phrase::Name(ColumnOf(top, "hlo_op").Text(first)),
                        HumanTime(static_cast<double>(ColumnOf(top, "self").Int(first))));
  report.tables.push_back(std::move(top));
  const bool named = std::ranges::any_of(lines, [](const auto& line) {
    return line.first.op != kNoString || line.first.module != kNoString;
  });
  if (named) report.tables.push_back(LinesTable(facts, lines));
  report.tables.push_back(std::move(operators));
  return report;
}

}  // namespace
}  // namespace hlo_operators

const Analysis kHloOperators = {
    .name = "hlo_operators",
    .title = "HLO ops",
    .label = "HLO ops",
    .group = AnalysisGroup::kDevice,
    .summary = "Time, FLOP/s and bandwidth per op",
    .doc = hlo_operators::kDoc,
    .needs = Wanted(kRankActivityNeeds, false, true),
    .params = {},
    .run = &hlo_operators::Run,
};

}  // namespace stepscope
