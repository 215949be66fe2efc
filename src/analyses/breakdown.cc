// Says where a step goes, part by part, before and since a change of step time, and on each rank.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/kinds.h"
#include "analyses/partial_note.h"
#include "facts/derived/collectives/step_times.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/derived/steps/step_changes.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace breakdown {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Where does a step go, what changed, and on which ranks is it different?

**Definition:** The categories of `overview`, of which each moment of a step has one; collectives are split in two.
`wait` is the part in which a device is in a collective that a rank has not entered yet, the rest is
`exposed_communication`. Means of the typical steps of all ranks: without warm-up, and without slow steps where they are
an exception. Where step time changed (`steps`), `before` and `since` are means of the steps before and since then, and
`time` and the table of ranks are those since. `matrix` has every step of every rank with the same parts, and `own`: the
step without the wait. `typical`: the step counts for the means.

**Limitations:** Waiting for a message of a pipeline counts as communication. Of a recording without steps it is the
whole recording.

**Interpretation:** Compute is what the job is for. The largest other part is where to begin; what grew since a step is
why it got longer. A rank that waits less than the others is one that they wait for.
)md";

// The order of rows: what steps are for, what ranks do to each other, then the host.
constexpr std::array<size_t, kTimedParts> kOrder = {
    static_cast<size_t>(StepCategory::kDeviceCompute),
    kWaitPart,
    static_cast<size_t>(StepCategory::kDeviceCollectives),
    static_cast<size_t>(StepCategory::kDeviceToDevice),
    static_cast<size_t>(StepCategory::kInput),
    static_cast<size_t>(StepCategory::kOutput),
    static_cast<size_t>(StepCategory::kCompilation),
    static_cast<size_t>(StepCategory::kOneTime),
    static_cast<size_t>(StepCategory::kHostCompute),
    static_cast<size_t>(StepCategory::kLaunch),
    static_cast<size_t>(StepCategory::kOther),
};

std::string KeyOf(size_t part) {
  if (part == kWaitPart) return "wait";
  const auto category = static_cast<StepCategory>(part);
  return category == StepCategory::kDeviceCollectives ? "exposed_communication"
                                                      : CategoryKey(category);
}

Phrase TitleOfPart(size_t part, const Facts& facts) {
  if (part == kWaitPart) return "waiting for other ranks";
  const auto category = static_cast<StepCategory>(part);
  return category == StepCategory::kDeviceCollectives ? "exposed communication"
                                                      : SayCategory(category, facts);
}

ColumnKind KindOfPart(size_t part) {
  return part == kWaitPart ? ColumnKind::kWait : KindOf(static_cast<StepCategory>(part));
}

Table PartTable(const Facts& facts, const StepTimes* before, const StepTimes& now) {
  Table table{
      .key = "parts",
      .title = "Mean step, all ranks",
      .columns = {Words(KeyColumn("part", "part")), TimeColumn("time", "time"),
                  RatioColumn("ratio", "% of step time"), TimeColumn("before", "before"),
                  TimeColumn("since", "since"), Detail(ValueColumn("key", "column of ranks"))}};
  AddKindColumn(table);
  for (const size_t p : kOrder) {
    const bool any = now.time[p] > 0 || (before != nullptr && before->time[p] > 0);
    if (!any) continue;
    table.rows.push_back({TitleOfPart(p, facts).str(), now.Mean(p), Ratio(now.time[p], now.total),
                          before == nullptr ? Cell() : Cell(before->Mean(p)),
                          When(before != nullptr, now.Mean(p)), KeyOf(p), KindCell(KindOfPart(p))});
  }
  return table;
}

// A column for each part that takes any of that time. Returns these parts.
std::vector<size_t> AddPartColumns(Table& table, const Facts& facts, const StepTimes& all) {
  std::vector<size_t> shown;
  std::ranges::copy_if(kOrder, std::back_inserter(shown),
                       [&](size_t p) { return all.time[p] > 0; });
  for (const size_t p : shown) {
    table.columns.push_back(TimeColumn(KeyOf(p), TitleOfPart(p, facts)));
    table.columns.back().kind = KindOfPart(p);
  }
  return shown;
}

Table RankTable(const Facts& facts, const std::vector<RankStepTimes>& ranks, const StepTimes& all) {
  Table table{.key = "ranks",
              .title = "Mean step per rank",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          TimeColumn("step_time", "step time")},
              .text_rows = 8};
  const std::vector<size_t> shown = AddPartColumns(table, facts, all);
  table.columns.push_back(Detail(CountColumn("steps", "steps")));
  for (const auto& [rank, sum] : ranks) {
    auto& row =
        table.rows.emplace_back(std::vector<Cell>{rank->rank, rank->window, sum.MeanTotal()});
    for (const size_t p : shown) row.emplace_back(sum.Mean(p));
    row.emplace_back(sum.steps);
  }
  return table;
}

// Starts of the steps of a rank that count for the means.
std::set<int64_t> TypicalStarts(const Facts& facts, const RankActivity* rank) {
  const std::vector<RankSteps>& all = TypicalStepsOf(facts).ranks;
  std::set<int64_t> starts;
  if (const auto own = std::ranges::find(all, rank, &RankSteps::rank); own != all.end()) {
    for (const StepBreakdown& step : own->steps) starts.insert(step.window.start);
  }
  return starts;
}

// Every step of every rank: what others wait for is in `own` and its parts, not in `step_time`.
Table StepMatrix(const Facts& facts, const std::vector<EachStepTimes>& ranks) {
  StepTimes all;
  for (const EachStepTimes& each : ranks) {
    for (const StepTimes& step : each.times) all.Add(step);
  }
  const bool waits = all.time[kWaitPart] > 0;
  Table table{.key = "matrix",
              .title = "Steps of each rank",
              .columns = {KeyColumn("rank", "rank"), KeyColumn("window", "window"),
                          KeyColumn("step", "step"), TimeColumn("step_time", "step time")},
              .text_rows = 0};
  if (waits) table.columns.push_back(TimeColumn("own", "without waiting"));
  const std::vector<size_t> shown = AddPartColumns(table, facts, all);
  table.columns.push_back(Words({"typical", "typical", Unit::kNone, Role::kValue, true}));
  for (const EachStepTimes& each : ranks) {
    const std::set<int64_t> typical = TypicalStarts(facts, each.rank);
    for (size_t s = 0; s < each.times.size(); ++s) {
      const StepTimes& step = each.times[s];
      std::vector<Cell> row = {each.rank->rank, each.rank->window, each.windows[s].number,
                               step.total};
      if (waits) row.emplace_back(step.total - step.time[kWaitPart]);
      for (const size_t p : shown) row.emplace_back(step.time[p]);
      row.emplace_back(typical.contains(each.windows[s].start) ? "yes" : "no");
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

// "compute takes 2.91 ms of 6.64 ms, waiting for other ranks 2.10 ms": the two largest.
Phrase SayLargest(const Facts& facts, const StepTimes& now) {
  std::array<size_t, kTimedParts> parts = kOrder;
  std::ranges::stable_sort(parts, std::ranges::greater{}, [&](size_t p) { return now.time[p]; });
  const auto time = [](int64_t ns) { return HumanTime(static_cast<double>(ns)); };
  Phrase said = Say("{part}: {time} of {total}", Capitalized(TitleOfPart(parts[0], facts)),
                    time(now.Mean(parts[0])), time(now.MeanTotal()));
  if (now.time[parts[1]] > 0)
    said += "; " + TitleOfPart(parts[1], facts) + ": " + time(now.Mean(parts[1]));
  return said + ".";
}

// `marked`: the recording has steps.
void AddMetrics(Report& report, const StepChange* change, bool marked, const StepTimes* before,
                const StepTimes& now) {
  report.metrics = {
      {"step_time", "mean step time", When(marked, now.MeanTotal()), Unit::kNanoseconds},
      {"recorded", "recorded", When(!marked, now.MeanTotal()), Unit::kNanoseconds, true}};
  if (change == nullptr) return;
  report.metrics.push_back(
      {"before", "mean step time before", before->MeanTotal(), Unit::kNanoseconds});
  report.metrics.push_back({"since_step", "since step", change->since, Unit::kNone});
  report.metrics.push_back(
      {"last_before", "last step before", change->last_before, Unit::kNone, true});
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kBreakdown, facts);
  if (RankStepsOf(facts).empty()) {
    MakeUnavailable(report, facts.no_work.empty() ? std::string(kNothingRecorded) : facts.no_work);
    return report;
  }
  if (report.status == Status::kUnavailable) report.status = Status::kPartial;
  const StepChanges& changes = StepChangesOf(facts);
  const StepChange* change = changes.step_time ? &*changes.step_time : nullptr;
  const TypicalSteps& typical = TypicalStepsOf(facts);
  const TypicalTimes& times = TypicalTimesOf(facts);
  const StepTimes now = TypicalTimes::Sum(times.now);
  const StepTimes before = TypicalTimes::Sum(times.before);
  report.headline = SayLargest(facts, now);
  const StepTimes* was = change == nullptr ? nullptr : &before;
  AddMetrics(report, change, !RankStepsOf(facts).front().whole_recording, was, now);
  report.metrics.push_back({"framework", "framework",
                            std::string(FrameworkName(facts.ranks.front().framework)), Unit::kNone,
                            true});
  report.tables.push_back(PartTable(facts, was, now));
  report.metrics.push_back({"slow_steps", "slow steps left out", typical.slow, Unit::kCount, true});
  report.metrics.push_back(
      {"warm_up_steps", "first steps left out", typical.warm_up, Unit::kCount, true});
  report.tables.push_back(RankTable(facts, times.now, now));
  if (!RankStepsOf(facts).front().whole_recording)
    report.tables.push_back(StepMatrix(facts, EachStepTimesOf(facts)));
  if (!std::ranges::all_of(facts.ranks, TellsLateRanks)) NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace breakdown

const Analysis kBreakdown = {
    .name = "breakdown",
    .title = "Where a step goes",
    .label = "Breakdown",
    .group = AnalysisGroup::kOverview,
    .summary = "Compute, waits, communication, host; by rank",
    .doc = breakdown::kDoc,
    .needs = Wanted(kRankActivityNeeds | KindSet{Kind::kOperator}, true, true),
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &breakdown::Run,
};

}  // namespace stepscope
