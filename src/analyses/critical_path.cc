// Finds the critical path of a step or range: the chain of host and device activity that sets its
// time.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/critical_path_finding.h"
#include "analyses/kept_names.h"
#include "analyses/kinds.h"
#include "facts/paths/dependencies.h"
#include "facts/paths/rank_paths.h"
#include "facts/steps/steps.h"
#include "report/humanize.h"

namespace stepscope {
namespace critical_path {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Which chain of host and device activity sets step time, and how much would it shrink if a part
were faster?

**Definition:** Each rank has one window: the given `step`, or else its complete step of median length. With `annotation` it
is the `instance`-th range of that name, or if none has it, of a name that contains it (`*text*`: of any that contains
text); with `last_instance` from that range's start to the end of the last. Without steps it is the whole trace. The window
is from the start of the range until the range and all activities launched in it have ended. From there the path goes back
in time, at every moment to the dependency that ended last. An activity depends on three things:

- the previous activity on its stream
- the return of its launch call, or its begin if the activity started before the return
- activities of other streams that it waited for

The host depends on its own previous moment, or at the end of a waiting call, on the end of the activity it waited for.
If a thread has no record for 50 µs, the activity of another thread explains it. Every segment has one bound:

- `gpu_compute`, `gpu_communication`, `gpu_memory`
- `launch_overhead`: the host in launch calls, and from the call to the start
- `kernel_gap`: from the end of the previous activity to the start
- `cpu`
- `data_loading`: ranges named after a loader
- `one_time`: graph capture, context creation, module loading
- `sync`: waiting calls, beyond the activity they wait for
- `no_record`: nothing recorded explains it. It includes activities that start 30 µs after all known dependencies, and
  activities of steps not selected.

Segments tile the window: they sum to `span` to the nanosecond. `path` is span without no_record. The window of a step
is not its step time in `overview`, which begins where the step before ended and may last until other steps' activities
have ended.

`what_if` takes changes separated by ';': kernel:TEXT*F (activities whose name contains TEXT), operator:NAME*F (its host
time and the activities it launches), or compute, communication, memory, launch, kernel_gap, cpu, data_loading, one_time,
sync*F. "=0" removes. All moments of the window are recomputed, not only those on the path, each as early as its dependencies
allow. Dependencies that were on the path keep their recorded delay; others get the median delay. Without a change,
the result is exactly the recorded span. A change of what only hosts do saves no more than the time in which the
rank's devices idle.

**Limitations:** Waits between streams are recorded by profilers since 2023 on NVIDIA. Otherwise they are guessed, if calls,
a graph or missing records make them likely and they explain at least 5 µs. The note `guessed_waits` counts them. Other
ranks are not modeled: a faster kernel does not make their collectives start earlier. Memory and caches shared by
activities are not modeled. A host that polls, or that waits for a full launch queue, counts as working.

**Interpretation:** `bounds` shows what sets step time. Only activities on the path can shorten it. `what_if` shows the
maximum saving, because another chain may take over. A path of mostly gpu_compute is healthy. High gpu_communication
on some ranks only means that they wait for the others.
)md";

Result<void> CheckChanges(std::string_view text) {
  const auto changes = ParseChanges(text);
  if (!changes) return std::unexpected(changes.error());
  return {};
}

constexpr auto kParams = std::to_array<Parameter>({
    {"step", Parameter::Type::kInteger, "-1", Unit::kNone,
     "step to explain; -1: the complete step of median length of each rank"},
    {"annotation", Parameter::Type::kText, "", Unit::kNone,
     "explain the range with this name instead of a step"},
    {"instance", Parameter::Type::kInteger, "0", Unit::kNone,
     "index of the range among those with that name, from 0"},
    {"last_instance", Parameter::Type::kInteger, "-1", Unit::kNone,
     "index of the last range to explain with it; -1: only `instance`"},
    {"rank", Parameter::Type::kInteger, "-1", Unit::kNone, "only this rank; -1: every rank"},
    {"what_if",
     Parameter::Type::kText,
     "",
     Unit::kNone,
     "changes to estimate, such as 'kernel:gemm*0.5; launch=0'",
     {},
     &CheckChanges},
    {"segments", Parameter::Type::kInteger, "1000", Unit::kCount,
     "maximum segments to list: the longest, in order of time"},
});

Phrase WhyNothing(const Params& params) {
  Phrase what = Say("step {step}", params.Integer("step"));
  if (params.Integer("step") < 0) what = "device activity";
  if (!params.Text("annotation").empty()) {
    const int64_t last = std::max(params.Integer("last_instance"), params.Integer("instance"));
    what = Say("annotation or operator '{name}', instance {instance}",
               Phrase::Name(std::string(params.Text("annotation"))), last);
  }
  if (params.Integer("rank") >= 0) {
    return Say("the traces have no {what} of rank {rank}", what, params.Integer("rank"));
  }
  return Say("the traces have no {what}", what);
}

// The error about the step, range or rank that the question names; nothing where it names none.
std::optional<Error> AbsentOf(const Params& params, const Facts& facts) {
  const std::string what = WhyNothing(params);
  const std::string ranks = DescribeRanks(facts.ranks);
  const bool has_rank =
      params.Integer("rank") < 0 ||
      std::ranges::any_of(
          facts.ranks,
          [&](const RankActivity& rank) { return rank.rank == params.Integer("rank"); });
  if (!has_rank) return Error{what, "critical_path.rank", "ranks in the traces: " + ranks};
  if (!params.Text("annotation").empty()) {
    return Error{what, "critical_path.annotation",
                 "give the name of an annotation or operator; see user_annotations"};
  }
  if (params.Integer("step") < 0) return std::nullopt;
  return Error{what, "critical_path.step", "steps in the traces: " + DescribeSteps(facts.ranks)};
}

// Where time passed: device, stream and thread; empty where not applicable.
std::vector<Cell> PlaceCells(const RankActivity& rank, const Edge& edge) {
  if (edge.activity != kNowhere) {
    const Stream& stream = rank.streams[rank.activities[edge.activity].stream];
    return {stream.device, stream.stream, Cell()};
  }
  if (edge.thread == kNowhere) return {Cell(), Cell(), Cell()};
  return {Cell(), Cell(), rank.host->threads[edge.thread]};
}

std::vector<Column> RankKeys() {
  return {KeyColumn("rank", "rank"), KeyColumn("window", "window")};
}
std::vector<Cell> RankCells(const RankPath& path) { return {path.rank->rank, path.rank->window}; }

// The bounds on a path, largest first.
std::vector<Bound> BoundsOf(const CriticalPath& path) {
  std::vector<Bound> bounds;
  for (size_t b = 0; b < path.time.size(); ++b) {
    if (path.time[b] > 0) bounds.push_back(static_cast<Bound>(b));
  }
  std::ranges::stable_sort(bounds, std::ranges::greater{}, [&](Bound b) { return path.Time(b); });
  return bounds;
}

Table BoundsTable(const MeasuredPaths& measured) {
  Table table{.key = "bounds", .title = "Critical path by bound", .columns = RankKeys()};
  AddColumns(table, {Words(KeyColumn("bound", "bound by")), TimeColumn("time", "time"),
                     RatioColumn("share", "% of span")});
  AddKindColumn(table);
  for (const RankPath& rank : measured.ranks) {
    for (const Bound bound : BoundsOf(rank.path)) {
      auto row = RankCells(rank);
      const int64_t time = rank.path.Time(bound);
      row.insert(row.end(), {std::string(BoundName(bound)), time, Ratio(time, rank.span()),
                             KindCell(KindOf(bound))});
      table.rows.push_back(std::move(row));
    }
    if (&rank == &measured.ranks.front()) table.text_rows = table.rows.size();
  }
  return table;
}

Table RanksTable(const MeasuredPaths& measured) {
  Table table{.key = "ranks", .title = "Critical path per rank", .columns = RankKeys()};
  AddColumns(table, {ValueColumn("covers", "covers"), TimeColumn("span", "span"),
                     TimeColumn("path", "path"), CountColumn("segments", "segments"),
                     Words(ValueColumn("bound", "largest bound")),
                     RatioColumn("bound_share", "% of span")});
  for (const RankPath& rank : measured.ranks) {
    auto row = RankCells(rank);
    const auto bounds = BoundsOf(rank.path);
    row.insert(row.end(),
               {rank.chosen.covers.str(), rank.span(), rank.path.Explained(), rank.segments});
    if (bounds.empty()) {
      row.insert(row.end(), {Cell(), Cell()});
    } else {
      row.insert(row.end(), {std::string(BoundName(bounds.front())),
                             Ratio(rank.path.Time(bounds.front()), rank.span())});
    }
    table.rows.push_back(std::move(row));
  }
  table.text_rows = measured.ranks.size() == 1 ? 0 : 4;
  return table;
}

Table WhatIfTable(const MeasuredPaths& measured) {
  Table table{.key = "what_if", .title = "What-if estimates", .columns = RankKeys()};
  AddColumns(table, {Words(KeyColumn("change", "change")), TimeColumn("length", "length"),
                     TimeColumn("saved", "saved"), RatioColumn("saved_ratio", "saved, % of span")});
  AddKindColumn(table);
  for (const RankPath& rank : measured.ranks) {
    for (const Outcome& outcome : rank.outcomes) {
      auto row = RankCells(rank);
      const int64_t saved = rank.span() - outcome.length;
      row.insert(row.end(), {outcome.change, outcome.length, saved, Ratio(saved, rank.span()),
                             KindCell(KindOfChange(outcome.change))});
      table.rows.push_back(std::move(row));
    }
    if (&rank == &measured.ranks.front()) table.text_rows = table.rows.size();
  }
  return table;
}

Contributions AddUp(const Facts& facts, const CriticalPath& path) {
  std::map<std::pair<Bound, StringId>, std::pair<const Edge*, Contribution>> of_names;
  for (const Segment& segment : path.segments) {
    auto& [edge, sum] = of_names[{segment.edge.bound, segment.edge.name}];
    edge = &segment.edge;
    ++sum.count;
    sum.time += segment.duration();
  }
  Contributions sums;
  for (const auto& [key, of_name] : of_names) {
    Contribution& sum = sums[{key.first, NameOf(*of_name.first, *facts.names)}];
    sum.count += of_name.second.count;
    sum.time += of_name.second.time;
  }
  return sums;
}

Table ContributorsTable(const Params& params, const RankPath& shown, const Contributions& sums,
                        Report& report) {
  Table table{.key = "contributors", .title = "Largest path contributors", .columns = RankKeys()};
  AddColumns(table, {Words(KeyColumn("bound", "bound by")), KeyColumn("name", "name"),
                     CountColumn("count", "count"), TimeColumn("time", "time"),
                     RatioColumn("share", "% of span")});
  std::vector<std::pair<std::string_view, int64_t>> times;
  for (const auto& [key, sum] : sums) times.emplace_back(key.second, sum.time);
  KeptNames<std::string_view> kept(params, std::move(times), std::identity());
  std::vector<const Contributions::value_type*> order;
  for (const auto& contribution : sums) {
    if (kept.Keep(contribution.first.second, contribution.second.time))
      order.push_back(&contribution);
  }
  kept.AddNote(table.key, report);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [](const auto* contribution) { return contribution->second.time; });
  for (const auto* contribution : order) {
    const auto& [key, sum] = *contribution;
    auto row = RankCells(shown);
    row.insert(row.end(), {std::string(BoundName(key.first)), std::string(key.second), sum.count,
                           sum.time, Ratio(sum.time, shown.span())});
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 5;
  return table;
}

// The duration from which a segment is among the `most` longest.
int64_t ShortestListed(const std::vector<Segment>& segments, size_t most) {
  if (segments.size() <= most) return 0;
  if (most == 0) return std::numeric_limits<int64_t>::max();
  std::vector<int64_t> durations;
  for (const Segment& segment : segments) durations.push_back(segment.duration());
  const auto last = durations.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::ranges::nth_element(durations, last, std::ranges::greater{});
  return *last;
}

// A path can have a hundred thousand segments, most of them short. Segments that are not listed
// leave gaps in the numbering.
Table SegmentsTable(const Facts& facts, const RankPath& shown, size_t most) {
  Table table{.key = "segments", .title = "Segments of the path", .columns = RankKeys()};
  AddColumns(table, {KeyColumn("segment", "segment"), TimeColumn("start", "start"),
                     TimeColumn("duration", "duration"), Words(ValueColumn("bound", "bound by")),
                     ValueColumn("name", "name"), ValueColumn("device", "device"),
                     ValueColumn("stream", "stream"), ValueColumn("thread", "thread")});
  const auto& segments = shown.path.segments;
  const int64_t shortest = ShortestListed(segments, most);
  table.rows.reserve(std::min(segments.size(), most));
  for (size_t number = 0; number < segments.size(); ++number) {
    const Segment& segment = segments[number];
    if (segment.duration() < shortest || table.rows.size() == most) continue;
    auto row = RankCells(shown);
    row.insert(row.end(), {static_cast<int64_t>(number), segment.start - shown.chosen.window.start,
                           segment.duration(), std::string(BoundName(segment.edge.bound)),
                           std::string(NameOf(segment.edge, *facts.names))});
    std::ranges::move(PlaceCells(*shown.rank, segment.edge), std::back_inserter(row));
    table.rows.push_back(std::move(row));
  }
  table.text_rows = 0;
  return table;
}

void AddNotes(Report& report, const MeasuredPaths& measured) {
  int64_t guessed = 0;
  for (const RankPath& rank : measured.ranks) guessed += rank.guessed_waits;
  if (guessed > 0) {
    report.notes.push_back({"guessed_waits", guessed,
                            "activities were assumed to wait for another stream: no record of the "
                            "wait",
                            ""});
  }
  const auto untouched = std::ranges::count(measured.ranks, false, &RankPath::touched);
  if (untouched > 0) {
    report.notes.push_back(
        {"what_if_matches_nothing", untouched, "changes match nothing in a rank's window", ""});
  }
}

// "step 7 of rank 0 (annotation and what it launched)": the title tells it from the step time.
Phrase SayExtent(const RankPath& shown) {
  return SayWhere(shown) + (shown.chosen.whole ? "" : " (annotation and what it launched)");
}

Phrase Headline(const RankPath& shown) {
  Phrase text = Say("The critical path of {where} takes {time}", SayExtent(shown),
                    HumanTime(static_cast<double>(shown.span())));
  const auto bounds = BoundsOf(shown.path);
  for (size_t i = 0; i < std::min<size_t>(bounds.size(), 3); ++i) {
    const double share =
        static_cast<double>(shown.path.Time(bounds[i])) / static_cast<double>(shown.span());
    text += i == 0 ? ": " : ", ";
    text += Say("{share} {bound}", HumanRatio(share), WordsOf(bounds[i]));
  }
  const double idle = static_cast<double>(shown.idle) / static_cast<double>(shown.span());
  return text + "; " + Say("devices idle for {share} of it.", HumanRatio(idle));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kCriticalPath, facts);
  if (report.status == Status::kUnavailable) return report;
  const MeasuredPaths measured =
      MeasurePaths(*facts.names, facts.ranks,
                   {.window = {.annotation = params.Text("annotation"),
                               .instance = params.Integer("instance"),
                               .last_instance = params.Integer("last_instance"),
                               .step = params.Integer("step")},
                    .rank = params.Integer("rank"),
                    .text = params.Text("what_if"),
                    .changes = *ParseChanges(params.Text("what_if"))});
  if (measured.ranks.empty()) {
    MakeUnavailable(report, measured.unlinked ? WhyNothingLinked(facts) : WhyNothing(params));
    if (!measured.unlinked) report.absent = AbsentOf(params, facts);
    return report;
  }
  if (!measured.without.empty()) {
    report.status = Status::kPartial;
    report.why = Say("{count} of {total} ranks lack the requested window; the first is rank {rank}",
                     measured.without.size(), measured.without.size() + measured.ranks.size(),
                     measured.without.front());
  }
  const RankPath& shown = measured.ranks.front();
  const Contributions sums = AddUp(facts, shown.path);
  report.headline = Headline(shown);
  report.metrics = {
      {"span", Say("span of {where}", SayExtent(shown)), shown.span(), Unit::kNanoseconds},
      {"path", "explained span", shown.path.Explained(), Unit::kNanoseconds},
      {"idle_ratio", "devices idle, % of span", Ratio(shown.idle, shown.span()), Unit::kRatio}};
  report.tables.push_back(BoundsTable(measured));
  report.tables.push_back(WhatIfTable(measured));
  report.tables.push_back(ContributorsTable(params, shown, sums, report));
  report.tables.push_back(RanksTable(measured));
  const int64_t segments = std::max<int64_t>(params.Integer("segments"), 0);
  report.tables.push_back(SegmentsTable(facts, shown, static_cast<size_t>(segments)));
  AddFinding(report, facts, measured, sums);
  AddNotes(report, measured);
  return report;
}

}  // namespace
}  // namespace critical_path

const Analysis kCriticalPath = {
    .name = "critical_path",
    .title = "Critical path",
    .label = "Critical path",
    .group = AnalysisGroup::kDevice,
    .summary = "What bounds step time; what-if estimates",
    .doc = critical_path::kDoc,
    .needs = kDependencyNeeds,
    .params = critical_path::kParams,
    .run = &critical_path::Run,
};

}  // namespace stepscope
