// Reports CUPTI hardware counters per kernel and the operators that launched them.
#include <algorithm>
#include <map>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace cupti_counters {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** What did the hardware count while each kernel ran, and which operator launched it?

**Definition:** CUPTI's profiler records one range around each kernel (experimental_config with profiler_metrics).
`ranges` lists them with the operators around the kernel's launch, `counters` has their values, and `totals` sums
these by operator, kernel and counter.

**Limitations:** Ranges carry no launch id. The profiler serializes kernels, so the n-th range is assigned to the n-th
kernel launch of its trace. If the two counts differ, ranges have no operator, and a note counts them.

**Interpretation:** Counters of instructions over the kernel's time give its FLOP/s, for example
smsp__sass_thread_inst_executed_op_ffma_pred_on.sum with 2 FLOP each.
)md";

// For each kernel launch of a trace, by time, the innermost range around it.
std::vector<int32_t> RangesOfLaunches(const RankActivity& rank) {
  std::vector<int32_t> ranges;
  for (const Call& call : rank.host->calls) {
    if (call.role == CallRole::kLaunch) ranges.push_back(call.range);
  }
  return ranges;
}

// The operator names in a range and its parents, innermost first.
std::vector<std::string> OperatorsAround(const Facts& facts, const RankActivity& rank, int32_t at) {
  std::vector<std::string> names;
  while (at != kNoRange) {
    const HostRange& range = rank.host->ranges[static_cast<size_t>(at)];
    if (range.kind == Kind::kOperator) names.emplace_back((*facts.names)[range.name]);
    at = range.parent;
  }
  return names;
}

// "outermost > ... > innermost".
std::string SayStack(const std::vector<std::string>& innermost_first) {
  std::string text;
  for (size_t i = innermost_first.size(); i-- > 0;) {
    if (!text.empty()) text += " > ";
    text += innermost_first[i];
  }
  return text;
}

struct Tables {
  Table ranges{.key = "ranges",
               .title = "Counter ranges",
               .columns = {KeyColumn("rank", "rank"),
                           KeyColumn("window", "window"),
                           KeyColumn("range", "range"),
                           {"kernel", "kernel"},
                           {"operator", "operator"},
                           {"top_operator", "outermost operator"},
                           {"stack", "stack"},
                           TimeColumn("start", "start"),
                           TimeColumn("duration", "duration")},
               .text_rows = 0};
  Table counters{.key = "counters",
                 .title = "Counters per range",
                 .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                             KeyColumn("range", "range"), KeyColumn("counter", "counter"),
                             CountColumn("value", "value")},
                 .text_rows = 0};
};

using Totals = std::map<std::tuple<std::string, std::string, std::string>,
                        std::pair<int64_t, double>>;  // operator, kernel, counter -> count, sum

void AddRange(const Facts& facts, const RankActivity& rank, int64_t number,
              const CounterRange& range, int32_t around, Tables& tables, Totals& totals) {
  const auto stack = OperatorsAround(facts, rank, around);
  const std::string kernel((*facts.names)[range.name]);
  const Cell op = stack.empty() ? Cell() : Cell(stack.front());
  tables.ranges.rows.push_back(
      {rank.rank, rank.window, number, kernel, op, stack.empty() ? Cell() : Cell(stack.back()),
       stack.empty() ? Cell() : Cell(SayStack(stack)), range.start - rank.counters.front().start,
       range.end - range.start});
  std::map<StringId, double> values;  // a duplicate counter counts once
  for (const auto& [name, value] : range.counters) values[name] = value;
  for (const auto& [name, value] : values) {
    const std::string counter((*facts.names)[name]);
    tables.counters.rows.push_back({rank.rank, rank.window, number, counter, value});
    auto& [count, sum] = totals[{stack.empty() ? "(unknown)" : stack.front(), kernel, counter}];
    ++count;
    sum += value;
  }
}

Table TotalsTable(const Totals& totals) {
  Table table{.key = "totals",
              .title = "Counters per kernel",
              .columns = {KeyColumn("operator", "operator"), KeyColumn("kernel", "kernel"),
                          KeyColumn("counter", "counter"), CountColumn("count", "ranges"),
                          CountColumn("sum", "sum")},
              .text_rows = 12};
  for (const auto& [key, value] : totals) {
    const auto& [op, kernel, counter] = key;
    table.rows.push_back({op, kernel, counter, value.first, value.second});
  }
  SortDescending(table, "sum");
  return table;
}

Report Run(const Facts& facts, const Params&) {
  Report report{.analysis = std::string(kCuptiCounters.name),
                .title = std::string(kCuptiCounters.title)};
  Tables tables;
  Totals totals;
  int64_t without = 0;
  for (const RankActivity& rank : facts.ranks) {
    if (rank.counters.empty()) continue;
    const auto launches = RangesOfLaunches(rank);
    const bool paired = launches.size() == rank.counters.size();
    for (size_t i = 0; i < rank.counters.size(); ++i) {
      const CounterRange& range = rank.counters[i];
      if (!facts.Counts(rank, range.start)) continue;
      const int32_t around = paired ? launches[i] : kNoRange;
      AddRange(facts, rank, static_cast<int64_t>(i), range, around, tables, totals);
      if (!paired) ++without;
    }
  }
  if (tables.ranges.rows.empty()) {
    MakeUnavailable(report,
                    "there are no hardware counters in the selection: record with "
                    "experimental_config=_ExperimentalConfig(profiler_metrics=[...])");
    return report;
  }
  if (without > 0) {
    report.notes.push_back({"counters_without_operator", without,
                            "counter ranges have no operator: the number of launches differs", ""});
  }
  report.headline = Say("Counters of {kernels}.", Plural(tables.ranges.rows.size(), "kernel"));
  report.tables.push_back(TotalsTable(totals));
  report.tables.push_back(std::move(tables.ranges));
  report.tables.push_back(std::move(tables.counters));
  return report;
}

}  // namespace
}  // namespace cupti_counters

const Analysis kCuptiCounters = {
    .name = "cupti_counters",
    .title = "Hardware counters",
    .label = "Counters",
    .group = AnalysisGroup::kDevice,
    .summary = "CUPTI counters per kernel",
    .doc = cupti_counters::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kCounterRange, Kind::kCounter},
    .params = {},
    .run = &cupti_counters::Run,
};

}  // namespace stepscope
