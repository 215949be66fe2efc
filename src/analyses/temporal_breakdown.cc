// Divides each device's span into compute, non-compute and idle time.
#include <algorithm>

#include "analyses/all.h"
#include "analyses/build.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace temporal_breakdown {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** What shares of a device's span are compute, non-compute activity, and idle?

**Definition:** The span is from the start of the first activity to the end of the last. Busy is the union of
activities, so two concurrent kernels count once. Compute is the union of compute kernels, whatever else
runs. `non_compute` is busy without compute: exposed communication, memcpy and memset. idle + busy = span and
compute + non_compute = busy, to the nanosecond. In the table of steps, an activity counts for the step that
launched it, even if it ran later. `step_time` is the step interval: the mean time from the start of a step to the start
of the next. The step time of `overview` leaves out what lies between two steps.

**Limitations:** Idle time before the first and after the last activity is not counted. For the causes of idle
time, see `idle_time`. Kernels that spin count as busy, such as collectives that wait for other ranks.

**Interpretation:** An efficient training job computes for over 85% of span. For high idle, see `idle_time`. For
high non-compute, see `comm_overlap`. If one rank differs from the others, see `kernel_distribution`.
)md";

void AddTimes(std::vector<Cell>& row, const Occupancy& o) {
  const int64_t span = o.Span();
  const int64_t non_compute = o.Busy() - o.Compute();
  row.insert(row.end(), {span, o.Busy(), o.Idle(), o.Compute(), non_compute, Ratio(o.Idle(), span),
                         Ratio(o.Compute(), span), Ratio(non_compute, span)});
}

std::vector<Column> TimeColumns() {
  return {TimeColumn("span", "span"),
          TimeColumn("busy", "busy"),
          TimeColumn("idle", "idle"),
          TimeColumn("compute", "compute"),
          TimeColumn("non_compute", "non-compute"),
          RatioColumn("idle_ratio", "idle, % of span"),
          RatioColumn("compute_ratio", "compute, % of span"),
          RatioColumn("non_compute_ratio", "non-compute, % of span")};
}

Table RankTable(const Facts& facts) {
  Table table{
      .key = "ranks", .title = Say("Time per {noun}", DeviceNoun(facts)), .columns = DeviceKeys()};
  AddColumns(table, TimeColumns());
  SetKinds(table, {{"compute", ColumnKind::kCompute},
                   {"non_compute", ColumnKind::kCommunication},
                   {"idle", ColumnKind::kIdle}});
  for (const DeviceFacts& device : facts.devices) {
    auto row = DeviceCells(device);
    AddTimes(row, device.total);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepTable(const Facts& facts) {
  Table table{.key = "steps", .title = "Time per step", .columns = DeviceKeys()};
  AddColumns(table, {KeyColumn("step", "step")});
  AddColumns(table, TimeColumns());
  for (const DeviceFacts& device : facts.devices) {
    for (size_t s = 0; s < device.by_step.size(); ++s) {
      if (!device.by_step[s].any) continue;
      auto row = DeviceCells(device);
      row.emplace_back(device.rank->steps[s].number);
      AddTimes(row, device.by_step[s]);
      table.rows.push_back(std::move(row));
    }
  }
  // With one step per rank, the table of ranks shows the same.
  table.text_rows = table.rows.size() > facts.devices.size() ? 16 : 0;
  return table;
}

struct Totals {
  int64_t span = 0, idle = 0, compute = 0, exposed = 0, memory = 0;
  int64_t longest = 0;
};

Totals AddUp(const Facts& facts) {
  Totals t;
  for (const DeviceFacts& device : facts.devices) {
    const Occupancy& o = device.total;
    t.span += o.Span();
    t.idle += o.Idle();
    t.compute += o.Compute();
    t.exposed += o.Exposed();
    t.memory += o.Busy() - o.Compute() - o.Exposed();
    t.longest = std::max(t.longest, o.Span());
  }
  return t;
}

std::string SayShare(int64_t part, int64_t whole) { return HumanRatio(Share(part, whole)); }

Phrase Headline(const Facts& facts, const Totals& t) {
  const size_t devices = facts.devices.size();
  const std::string span = HumanTime(static_cast<double>(t.longest));
  const std::string compute = SayShare(t.compute, t.span);
  Phrase text = devices == 1 ? Say("Of {time} span, {share} is compute", span, compute)
                             : Say("Of {time} span on {devices}, {share} is compute", span,
                                   Plural(devices, DeviceNoun(facts)), compute);
  if (t.exposed > 0) text += Say(", {share} exposed communication", SayShare(t.exposed, t.span));
  if (t.memory > 0) text += Say(", {share} memcpy and memset", SayShare(t.memory, t.span));
  return text + Say(", {share} idle.", SayShare(t.idle, t.span));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kTemporalBreakdown, facts);
  if (report.status == Status::kUnavailable) return report;
  const Totals totals = AddUp(facts);
  report.headline = Headline(facts, totals);
  report.metrics = {
      {"compute_ratio", "compute, % of span", Ratio(totals.compute, totals.span), Unit::kRatio},
      {"non_compute_ratio", "non-compute, % of span",
       Ratio(totals.span - totals.idle - totals.compute, totals.span), Unit::kRatio},
      {"idle_ratio", "idle, % of span", Ratio(totals.idle, totals.span), Unit::kRatio},
  };
  if (const auto step_time = StepTime(facts.ranks)) {
    report.metrics.push_back(
        {"step_time", "step interval, slowest rank", *step_time, Unit::kNanoseconds});
  }
  report.tables.push_back(RankTable(facts));
  report.tables.push_back(StepTable(facts));
  if (!facts.HasSteps()) {
    report.notes.push_back(
        {"no_steps", 1,
         Say("no steps are marked: there are no numbers by step; {how}", Say(kMarkSteps, facts)),
         ""});
  }
  return report;
}

}  // namespace
}  // namespace temporal_breakdown

const Analysis kTemporalBreakdown = {
    .name = "temporal_breakdown",
    .title = "Temporal breakdown",
    .label = "Busy and idle",
    .group = AnalysisGroup::kDevice,
    .summary = "Compute, non-compute and idle per device",
    .doc = temporal_breakdown::kDoc,
    .needs = kRankActivityNeeds,
    .of_partials = OfPartials::kYes,
    .params = {},
    .run = &temporal_breakdown::Run,
};

}  // namespace stepscope
