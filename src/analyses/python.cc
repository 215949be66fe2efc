// Reports the Python functions that take the time of steps and of idle devices.
#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <tuple>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/python/python_paths.h"
#include "facts/derived/python/python_time.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace python {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which Python functions take the host's time, and which ran while devices were idle?

**Definition:** Within the steps of a rank (`overview`), each moment of a thread belongs to the innermost Python
function that was recorded. `self` is the sum of these moments: the function without the functions it called, but with
the operators and runtime calls it ran. `total` includes the functions it called; a function that calls itself counts once.
`idle` is the part of `self` in which no device of the rank ran anything. `calls` are those that began within steps.
`share` is `self` as a share of step time. `top` adds up the training threads of all ranks: the thread that steps are
marked on, else the one with the most launches. `functions` has every thread of every rank; `training` says which are
these. Built-in functions have no file; `nn.Module: Linear_0` is the call of a module. `tree` has the training threads'
functions by caller, with the activities launched inside as `device_time`; those below 0.5% of the total are "(smaller)" of
their caller. Sentences give what installed libraries and built-in functions take to the function of yours that called
them, and name them where they have half of it.

**Limitations:** Recording Python makes it slower, most of all short functions. Worker processes of a DataLoader are other
processes and are not in the trace. If no steps are marked, the whole trace counts and `share` is absent. With several
devices per rank, `idle` needs all of them to be idle. A thread that waits (for a lock, a queue or a device) counts for the
function that waits.

**Interpretation:** Sort by `idle`: these functions hold the devices up. If it is a function of the data pipeline, see
`input_pipeline`. If it is a function that reads a result (item, cpu, synchronize), read it less often. Many
short calls of framework functions are Python overhead: use torch.compile, CUDA graphs or larger batches. Findings of
other analyses name the functions of their moments if `python` or `modules` is asked for too.
)md";

using Sums = std::map<FrameName, FunctionSum>;

struct Training {
  Sums functions;
  int64_t time = 0;        // ns of steps, of all ranks
  bool marked = false;     // on all ranks
  bool idle_known = true;  // on all ranks
  int64_t idle = 0;        // ns of functions while devices were idle
  int64_t calls = 0;
};

Training AddUp(const std::vector<RankFunctions>& ranks) {
  Training all{.marked = true};
  for (const RankFunctions& rank : ranks) {
    all.time = AddSaturated(all.time, rank.time);
    all.marked = all.marked && rank.marked;
    all.idle_known = all.idle_known && rank.idle_known;
    for (const ThreadFunctions& thread : rank.threads) {
      if (!thread.training) continue;
      for (const auto& [name, sum] : thread.functions) {
        all.functions[name].Add(sum);
        all.idle = AddSaturated(all.idle, sum.idle);
        all.calls += sum.calls;
      }
    }
  }
  return all;
}

std::vector<Column> ValueColumns() {
  return {KeyColumn("function", "function"),
          KeyColumn("file", "file"),
          KeyColumn("line", "line"),
          CountColumn("calls", "calls"),
          TimeColumn("self", "self"),
          TimeColumn("total", "total"),
          RatioColumn("share", "self, % of step time"),
          TimeColumn("idle", "self while idle")};
}

struct Whole {
  int64_t time = 0;
  bool marked = false, idle_known = false;
};

template <class Functions>
void AddRows(Table& table, const std::vector<Cell>& prefix, const Functions& functions,
             const Whole& whole) {
  std::vector<std::pair<FrameName, FunctionSum>> rows(functions.begin(), functions.end());
  std::ranges::stable_sort(rows, std::ranges::greater{}, [](const auto& row) {
    return std::pair(row.second.self, row.second.total);
  });
  for (const auto& [name, sum] : rows) {
    auto row = prefix;
    row.insert(row.end(),
               {name.function, When(!name.file.empty(), name.file), When(name.line >= 0, name.line),
                sum.calls, sum.self, sum.total, whole.marked ? Ratio(sum.self, whole.time) : Cell(),
                When(whole.idle_known, sum.idle)});
    table.rows.push_back(std::move(row));
  }
}

Table TopTable(const Training& all) {
  Table table{.key = "top", .title = "Python functions, training thread", .text_rows = 12};
  AddColumns(table, ValueColumns());
  SetKinds(table, {{"self", ColumnKind::kHost}, {"idle", ColumnKind::kIdle}});
  AddRows(table, {}, all.functions, {all.time, all.marked, all.idle_known});
  return table;
}

Table FunctionsTable(const std::vector<RankFunctions>& ranks) {
  Table table{.key = "functions",
              .title = "Python functions per thread",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("thread", "thread")},
              .text_rows = 0};
  AddColumns(table, ValueColumns());
  table.columns.push_back(Words({"training", "training thread", Unit::kNone, Role::kValue, true}));
  for (const RankFunctions& rank : ranks) {
    std::map<std::string, Sums> threads;  // several may have one name
    std::set<std::string> training;
    for (const ThreadFunctions& thread : rank.threads) {
      if (thread.training) training.insert(thread.thread);
      for (const auto& [name, sum] : thread.functions) threads[thread.thread][name].Add(sum);
    }
    for (const auto& [thread, functions] : threads) {
      const size_t first = table.rows.size();
      AddRows(table, {rank.rank->rank, rank.rank->window, thread}, functions,
              {rank.time, rank.marked, rank.idle_known});
      for (auto& row : std::span(table.rows).subspan(first))
        row.emplace_back(training.contains(thread) ? "yes" : "no");
    }
  }
  return table;
}

// The function of the user's with the most time, "preprocess (data.py:7) (27.0 ms, 27.0% of step
// time)"; empty where no moment belongs to any.
Phrase SayMost(const Training& all, const FrameTimes& times) {
  const auto most = times.Leaders(1, 0);
  if (most.empty()) return {};
  const auto time = static_cast<double>(most.front().time);
  if (!all.marked || all.time <= 0)
    return Say("{function} ({time})", SayLeader(most.front()), HumanTime(time));
  return Say("{function} ({time}, {share} of step time)", SayLeader(most.front()), HumanTime(time),
             HumanRatio(time / static_cast<double>(all.time)));
}

Phrase Headline(const Facts& facts, const Training& all) {
  FrameTimes times(facts), idle(facts);
  for (const CountedPython& counted : CountedPythonOf(facts)) {
    const auto training = TrainingThread(*facts.names, *counted.rank);
    if (!training) continue;
    times.Add(*counted.rank, *training, counted.windows);
    if (all.idle_known)
      idle.Add(*counted.rank, *training, IdleWithin(*counted.rank, counted.windows));
  }
  const Phrase most = SayMost(all, times);
  if (!all.idle_known || all.idle <= 0) return Say("Most Python time: {most}.", most);
  return Say("Most Python time: {most}; while devices are idle: {most_idle}.", most,
             SayMost(all, idle));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kPython, facts);
  if (!HasPython(facts)) {
    MakeUnavailable(report,
                    Say("the traces have no Python functions: {how}", Say(kRecordPython, facts)));
    return report;
  }
  const std::vector<RankFunctions> ranks = FunctionsOfRanks(facts);
  const Training all = AddUp(ranks);
  if (all.functions.empty()) {
    MakeUnavailable(report, "no Python function ran in the selected steps");
    return report;
  }
  // Without device activity the host side remains.
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  report.headline = Headline(facts, all);
  report.metrics = {
      {"calls", "calls of Python functions", all.calls, Unit::kCount},
      {"idle_ratio", "Python while idle, % of step time",
       all.idle_known && all.marked ? Ratio(all.idle, all.time) : Cell(), Unit::kRatio}};
  report.tables.push_back(TopTable(all));
  report.tables.push_back(FunctionsTable(ranks));
  report.tables.push_back(
      PathTable("Python functions by caller", "function", PathsOfPython(facts)));
  return report;
}

}  // namespace
}  // namespace python

const Analysis kPython = {
    .name = "python",
    .title = "Python functions",
    .label = "Python",
    .group = AnalysisGroup::kHost,
    .summary = "Python functions by self time",
    .doc = python::kDoc,
    .needs = kRankActivityNeeds | kPythonFrames | KindSet{Kind::kOperator},
    .params = {},
    .run = &python::Run,
};

}  // namespace stepscope
