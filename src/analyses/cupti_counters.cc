// Hardware counters of kernels, beside the operators that launched them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** what did the hardware count while each kernel ran, and which operator launched it?

**Counts:** the ranges that CUPTI's profiler recorded (experimental_config with profiler_metrics), one around
each kernel: `ranges` lists them with the operators around the kernel's launch, `counters` their
values, and `totals` adds those up by operator, kernel and counter.

**Cannot see:** which launch a range belongs to by any id: the profiler runs kernels one by one, so the n-th range
is taken to be of the n-th kernel launch of its recording. Where the two counts differ, no operator is
given, and a note says so.

**Read it so:** counters of instructions (smsp__sass_thread_inst_executed_op_ffma_pred_on.sum: 2 FLOP each) over
the kernel's time give the FLOP/s it reached.
)md";

// Of each kernel launch of a recording, by time, the innermost range around it.
std::vector<int32_t> RangesOfLaunches(const RankActivity& rank) {
  std::vector<int32_t> ranges;
  for (const Call& call : rank.host->calls) {
    if (call.role == CallRole::kLaunch) ranges.push_back(call.range);
  }
  return ranges;
}

// The names of the operators among a range and those around it, innermost first.
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
               .title = "Counted ranges",
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
                 .title = "Counters of each range",
                 .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                             KeyColumn("range", "range"), KeyColumn("counter", "counter"),
                             CountColumn("value", "value")},
                 .text_rows = 0};
};

using Totals = std::map<std::tuple<std::string, std::string, std::string>,
                        std::pair<int64_t, double>>;  // operator, kernel, counter: count, sum

void AddRange(const Facts& facts, const RankActivity& rank, int64_t number,
              const CounterRange& range, int32_t around, Tables& tables, Totals& totals) {
  const auto stack = OperatorsAround(facts, rank, around);
  const std::string kernel((*facts.names)[range.name]);
  const Cell op = stack.empty() ? Cell() : Cell(stack.front());
  tables.ranges.rows.push_back(
      {rank.rank, rank.window, number, kernel, op, stack.empty() ? Cell() : Cell(stack.back()),
       stack.empty() ? Cell() : Cell(SayStack(stack)), range.start - rank.counters.front().start,
       range.end - range.start});
  std::map<StringId, double> values;  // a counter that is there twice counts once
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
              .title = "Counters by operator and kernel",
              .columns = {KeyColumn("operator", "operator"), KeyColumn("kernel", "kernel"),
                          KeyColumn("counter", "counter"), CountColumn("count", "ranges"),
                          CountColumn("sum", "sum")},
              .text_rows = 12};
  for (const auto& [key, value] : totals) {
    const auto& [op, kernel, counter] = key;
    table.rows.push_back({op, kernel, counter, value.first, value.second});
  }
  std::ranges::stable_sort(table.rows, std::ranges::greater{},
                           [](const auto& row) { return std::get<double>(row[4]); });
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
                    "there are no hardware counters in what was selected: record with "
                    "experimental_config=_ExperimentalConfig(profiler_metrics=[...])");
    return report;
  }
  if (without > 0) {
    report.notes.push_back({"counters_without_operator", without,
                            "ranges of counters could not be paired with launches: their numbers "
                            "differ",
                            ""});
  }
  report.headline = fmt::format("{} were counted.", Plural(tables.ranges.rows.size(), "kernel"));
  report.tables.push_back(TotalsTable(totals));
  report.tables.push_back(std::move(tables.ranges));
  report.tables.push_back(std::move(tables.counters));
  return report;
}

}  // namespace

const Analysis kCuptiCounters = {
    .name = "cupti_counters",
    .title = "Hardware counters",
    .summary = "CUPTI counters per kernel",
    .doc = kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kCounterRange, Kind::kCounter},
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
