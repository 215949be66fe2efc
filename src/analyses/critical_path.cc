// What one step, or any other stretch of a recording, takes its time for: the chain of pieces that
// each had to end before the next could begin.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "facts/derived/rank_paths.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** which chain of work, on host and device, decides how long a step takes, and what would
be gained if a part of it were faster?

**Counts:** per rank, one stretch: the step asked for (`step`), or the longest complete one; with
`annotation` the `instance`-th range of that name; without steps the whole recording. It lasts from
the range's start until the range and all work launched meanwhile have ended. From there the path
goes back in time, at every moment to what ended last of all that had to: work started when the work
before it on its stream ended, when its launching call returned (or began, if the work was earlier
than that), or when work of another stream ended that it waited for. The host was at its own
previous moment, or, at the end of a call that waits, at the end of the work it waited for; a thread
that was quiet for 50 us is explained by what another thread did meanwhile. Every piece is bound by
one of: `gpu_compute`, `gpu_communication`, `gpu_memory`; `launch_overhead` (the host in launching
calls, and from the call to the start); `kernel_gap` (from the end of the work before to the start);
`cpu`; `data_loading` (ranges named after a loader); `sync` (calls that wait, beyond the work they wait
for); `no_record` (nothing recorded explains it: also work that starts 30 us after all it is known to
wait for, and work of steps that were not selected). The pieces tile the stretch: their sum is `span`
to the nanosecond; `path` is span without no_record.

What if: `what_if` takes changes separated by ';': kernel:TEXT*F (work whose name contains TEXT),
operator:NAME*F (the host in it, and work launched there), or compute, communication, memory,
launch, kernel_gap, cpu, data_loading, sync*F; "=0" removes. All moments of the stretch, not only
those on the path, are then timed anew, each as early as what it depends on allows. What decided
keeps its recorded delay, and what did not decide but then does costs what is usual (the median):
without a change exactly the recorded span comes out.

**Cannot see:** waits between streams that the trace does not record (sync records come with
profilers of 2023 and later on NVIDIA) are guessed where calls, a graph or missing records make them
likely and they explain 5 us or more; the note `guessed_waits` counts them. What other ranks do: a
faster kernel does not make a collective's partners arrive earlier. Memory and caches that pieces
share. A host that polls, or stands before a full launch queue, seems to work.

**Read it so:** `bounds` says what the step waits for; only what is on the path can make it shorter,
and `what_if` says by how much at most, because another chain takes over. A path full of gpu_compute is
a healthy one; much gpu_communication on some ranks only means that they wait for the others.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"step", Parameter::Type::kInteger, "-1", Unit::kNone,
     "the step to explain; -1: the longest complete one of each rank"},
    {"annotation", Parameter::Type::kText, "", Unit::kNone,
     "explain the range of this name instead of a step"},
    {"instance", Parameter::Type::kInteger, "0", Unit::kNone,
     "which range of that name, counted from 0"},
    {"rank", Parameter::Type::kInteger, "-1", Unit::kNone, "only this rank; -1: every rank"},
    {"what_if", Parameter::Type::kText, "", Unit::kNone,
     "changes to try, such as 'kernel:gemm*0.5; launch=0'"},
    {"segments", Parameter::Type::kInteger, "1000", Unit::kCount,
     "list at most so many pieces of the path, the longest, in the order of time"},
});

constexpr double kWorthSaying = 0.05;  // of the span

std::string WhyNothing(const Params& params) {
  std::string what = "step " + std::to_string(params.Integer("step"));
  if (params.Integer("step") < 0) what = "accelerator work";
  if (!params.Text("annotation").empty()) {
    what = fmt::format("annotation or operator '{}', instance {}", params.Text("annotation"),
                       params.Integer("instance"));
  }
  if (params.Integer("rank") >= 0) {
    return fmt::format("the traces hold no {} of rank {}", what, params.Integer("rank"));
  }
  return fmt::format("the traces hold no {}", what);
}

// Where the time passed: device, stream and thread, empty where they do not apply.
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

// The bounds on a path, the largest first.
std::vector<Bound> BoundsOf(const CriticalPath& path) {
  std::vector<Bound> bounds;
  for (size_t b = 0; b < path.time.size(); ++b) {
    if (path.time[b] > 0) bounds.push_back(static_cast<Bound>(b));
  }
  std::ranges::stable_sort(bounds, std::ranges::greater{}, [&](Bound b) { return path.Time(b); });
  return bounds;
}

Table BoundsTable(const MeasuredPaths& measured) {
  Table table{.key = "bounds", .title = "What the path is bound by", .columns = RankKeys()};
  AddColumns(table, {KeyColumn("bound", "bound by"), TimeColumn("time", "time"),
                     RatioColumn("share", "of span")});
  for (const RankPath& rank : measured.ranks) {
    for (const Bound bound : BoundsOf(rank.path)) {
      auto row = RankCells(rank);
      const int64_t time = rank.path.Time(bound);
      row.insert(row.end(), {std::string(BoundName(bound)), time, Ratio(time, rank.span())});
      table.rows.push_back(std::move(row));
    }
    if (&rank == &measured.ranks.front()) table.text_rows = table.rows.size();
  }
  return table;
}

Table RanksTable(const MeasuredPaths& measured) {
  Table table{.key = "ranks", .title = "The path of each rank", .columns = RankKeys()};
  AddColumns(table,
             {Column{"covers", "covers", Unit::kNone, Role::kValue}, TimeColumn("span", "span"),
              TimeColumn("path", "path"), CountColumn("segments", "segments"),
              Column{"bound", "mostly", Unit::kNone, Role::kValue},
              RatioColumn("bound_share", "of span")});
  for (const RankPath& rank : measured.ranks) {
    auto row = RankCells(rank);
    const auto bounds = BoundsOf(rank.path);
    row.insert(row.end(), {rank.chosen.covers, rank.span(), rank.path.Explained(), rank.segments});
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
  Table table{.key = "what_if", .title = "How long it would take if", .columns = RankKeys()};
  AddColumns(table, {KeyColumn("change", "change"), TimeColumn("length", "length"),
                     TimeColumn("saved", "saved"), RatioColumn("saved_ratio", "of span")});
  for (const RankPath& rank : measured.ranks) {
    for (const Outcome& outcome : rank.outcomes) {
      auto row = RankCells(rank);
      const int64_t saved = rank.span() - outcome.length;
      row.insert(row.end(), {outcome.change, outcome.length, saved, Ratio(saved, rank.span())});
      table.rows.push_back(std::move(row));
    }
    if (&rank == &measured.ranks.front()) table.text_rows = table.rows.size();
  }
  return table;
}

struct Contribution {
  int64_t count = 0, time = 0;
};
using Contributions = std::map<std::pair<Bound, std::string_view>, Contribution>;

Contributions AddUp(const Facts& facts, const CriticalPath& path) {
  Contributions sums;
  for (const Segment& segment : path.segments) {
    Contribution& sum = sums[{segment.edge.bound, NameOf(segment.edge, *facts.names)}];
    ++sum.count;
    sum.time += segment.duration();
  }
  return sums;
}

Table ContributorsTable(const RankPath& shown, const Contributions& sums) {
  Table table{.key = "contributors", .title = "Most time on the path", .columns = RankKeys()};
  AddColumns(table, {KeyColumn("bound", "bound by"), KeyColumn("name", "name"),
                     CountColumn("count", "count"), TimeColumn("time", "time"),
                     RatioColumn("share", "of span")});
  for (const auto& [key, sum] : sums) {
    auto row = RankCells(shown);
    row.insert(row.end(), {std::string(BoundName(key.first)), std::string(key.second), sum.count,
                           sum.time, Ratio(sum.time, shown.span())});
    table.rows.push_back(std::move(row));
  }
  const size_t time = table.columns.size() - 2;
  std::ranges::stable_sort(table.rows, std::ranges::greater{},
                           [&](const auto& row) { return std::get<int64_t>(row[time]); });
  table.text_rows = 5;
  return table;
}

// The duration from which on a piece is among the `most` longest.
int64_t ShortestListed(const std::vector<Segment>& segments, size_t most) {
  if (segments.size() <= most) return 0;
  if (most == 0) return std::numeric_limits<int64_t>::max();
  std::vector<int64_t> durations;
  for (const Segment& segment : segments) durations.push_back(segment.duration());
  const auto last = durations.begin() + static_cast<std::ptrdiff_t>(most - 1);
  std::ranges::nth_element(durations, last, std::ranges::greater{});
  return *last;
}

// A path can have a hundred thousand pieces, most of them nobody looks at. What is not listed
// leaves a gap in the segments' numbers.
Table SegmentsTable(const Facts& facts, const RankPath& shown, size_t most) {
  Table table{.key = "segments", .title = "The path, piece by piece", .columns = RankKeys()};
  AddColumns(table, {KeyColumn("segment", "segment"), TimeColumn("start", "start"),
                     TimeColumn("duration", "duration"),
                     Column{"bound", "bound by", Unit::kNone, Role::kValue},
                     Column{"name", "name", Unit::kNone, Role::kValue},
                     Column{"device", "device", Unit::kNone, Role::kValue},
                     Column{"stream", "stream", Unit::kNone, Role::kValue},
                     Column{"thread", "thread", Unit::kNone, Role::kValue}});
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

std::string SayWhere(const RankPath& path) {
  return fmt::format("{} of rank {}", path.chosen.covers, path.rank->rank);
}

constexpr Advice kRelieveHost{
    "take work off the host: torch.compile, fused optimizers (foreach, fused=True), fewer .item() "
    "and .cpu() calls; the table of contributors names the operators",
    "take work off the host: tf.function with jit_compile=True, several steps in one call "
    "(steps_per_execution), fewer .numpy() calls; the table of contributors names the operators",
    "take work off the host: jit the whole step, scan over several steps in one program, fewer "
    "conversions to NumPy; the table of contributors names the operators"};
constexpr Advice kLaunchLess{
    "launch less: CUDA graphs (torch.compile mode='reduce-overhead'), fused kernels, a larger "
    "batch",
    "launch less: tf.function with jit_compile=True, which fuses kernels, or a larger batch",
    "launch less: jit the whole step, XLA's command buffers (--xla_gpu_enable_command_buffer), a "
    "larger batch"};
constexpr Advice kHideCommunication{
    "start communication earlier, so that compute hides it: smaller gradient buckets, FSDP "
    "prefetching, asynchronous collectives",
    "start communication earlier, so that compute hides it: smaller packs of gradients "
    "(CommunicationOptions(bytes_per_pack=...)), and NCCL for collectives",
    "let XLA hide communication behind compute: its latency hiding scheduler "
    "(--xla_gpu_enable_latency_hiding_scheduler=true), or another sharding that sends less"};

const Advice& HintFor(Bound bound) {
  switch (bound) {
    case Bound::kCpu:
      return kRelieveHost;
    case Bound::kLaunch:
      return kLaunchLess;
    case Bound::kDataLoading:
      return kLoadAhead;
    default:
      return kHideCommunication;
  }
}

void AddFinding(Report& report, const Facts& facts, const RankPath& shown,
                const Contributions& sums) {
  Bound worst = Bound::kCpu;
  for (const Bound b : {Bound::kLaunch, Bound::kDataLoading, Bound::kCommunication}) {
    if (shown.path.Time(b) > shown.path.Time(worst)) worst = b;
  }
  const auto answer = std::ranges::find(shown.outcomes, QuestionAbout(worst), &Outcome::change);
  if (answer == shown.outcomes.end() || shown.span() == 0) return;
  const int64_t saved = shown.span() - answer->length;
  const double share = static_cast<double>(saved) / static_cast<double>(shown.span());
  if (share < kWorthSaying) return;
  std::pair<std::string_view, Contribution> most;
  for (const auto& [key, sum] : sums) {
    if (key.first == worst && sum.time > most.second.time) most = {key.second, sum};
  }
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kHigh : Severity::kMedium,
       .message = fmt::format("{} on the critical path costs {} of {}.", BoundName(worst),
                              HumanRatio(share), SayWhere(shown)),
       .because = fmt::format("{} of {} on the path are {}, most in {} ({}, {}); without it the "
                              "rest would take {}",
                              time(shown.path.Time(worst)), time(shown.span()), BoundName(worst),
                              most.first, Plural(static_cast<size_t>(most.second.count), "piece"),
                              time(most.second.time), time(answer->length)),
       .hint = Say(HintFor(worst), facts),
       .impact = saved,
       .table = "what_if"});
}

void AddNotes(Report& report, const MeasuredPaths& measured) {
  int64_t guessed = 0;
  for (const RankPath& rank : measured.ranks) guessed += rank.guessed_waits;
  if (guessed > 0) {
    report.notes.push_back({"guessed_waits", guessed,
                            "work that was taken to wait for another stream, without a record of "
                            "that wait",
                            ""});
  }
  const auto untouched = std::ranges::count(measured.ranks, false, &RankPath::touched);
  if (untouched > 0) {
    report.notes.push_back({"what_if_matches_nothing", untouched,
                            "the changes asked for concern nothing in this rank's stretch", ""});
  }
}

std::string Headline(const RankPath& shown) {
  std::string text =
      fmt::format("{} takes {}", SayWhere(shown), HumanTime(static_cast<double>(shown.span())));
  text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
  const auto bounds = BoundsOf(shown.path);
  for (size_t i = 0; i < std::min<size_t>(bounds.size(), 3); ++i) {
    const double share =
        static_cast<double>(shown.path.Time(bounds[i])) / static_cast<double>(shown.span());
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", HumanRatio(share), BoundName(bounds[i]));
  }
  return text + ".";
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kCriticalPath, facts);
  if (report.status == Status::kUnavailable) return report;
  const auto changes = ParseChanges(params.Text("what_if"));
  if (!changes) {
    MakeUnavailable(report, changes.error().what + "; " + changes.error().hint);
    return report;
  }
  const MeasuredPaths measured =
      MeasurePaths(facts, {.window = {.annotation = params.Text("annotation"),
                                      .instance = params.Integer("instance"),
                                      .step = params.Integer("step")},
                           .rank = params.Integer("rank"),
                           .text = params.Text("what_if"),
                           .changes = *changes});
  if (measured.ranks.empty()) {
    MakeUnavailable(report, measured.unlinked ? std::string(kNothingLinked) : WhyNothing(params));
    return report;
  }
  if (!measured.without.empty()) {
    report.status = Status::kPartial;
    report.why =
        fmt::format("{} of {} ranks lack the stretch that was asked for; the first: rank {}",
                    measured.without.size(), measured.without.size() + measured.ranks.size(),
                    measured.without.front());
  }
  const RankPath& shown = measured.ranks.front();
  const Contributions sums = AddUp(facts, shown.path);
  report.headline = Headline(shown);
  report.metrics = {{"span", "span, " + SayWhere(shown), shown.span(), Unit::kNanoseconds},
                    {"path", "of which explained", shown.path.Explained(), Unit::kNanoseconds}};
  report.tables.push_back(BoundsTable(measured));
  report.tables.push_back(WhatIfTable(measured));
  report.tables.push_back(ContributorsTable(shown, sums));
  report.tables.push_back(RanksTable(measured));
  const int64_t segments = std::max<int64_t>(params.Integer("segments"), 0);
  report.tables.push_back(SegmentsTable(facts, shown, static_cast<size_t>(segments)));
  AddFinding(report, facts, shown, sums);
  AddNotes(report, measured);
  return report;
}

}  // namespace

const Analysis kCriticalPath = {
    .name = "critical_path",
    .title = "Critical path",
    .summary = "What bounds step time; what-if estimates",
    .doc = kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync},
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
