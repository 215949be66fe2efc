// Where each device's time went: computing, busy with something else, or idle.
#include <fmt/format.h>

#include <algorithm>

#include "analyses/all.h"
#include "analyses/build.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** of the time each accelerator was in use, how much did it compute, how much did only
communication or copies run, and how much did nothing run?

**Counts:** the span of a device is from the start of its first piece of work to the end of the last.
Busy is the union of all work in it, so two kernels at once count once. Compute is the union of compute
kernels, whatever runs beside them; non_compute is what is busy and not compute: exposed communication,
copies and sets. idle + busy = span, and compute + non_compute = busy, to the nanosecond. In the table of
steps, work counts for the step in which the host launched it, even if it ran later. step_time is the
mean time from the start of a step to the start of the next.

**Cannot see:** idle time before the first and after the last piece of work, and why a device was idle:
see `idle_time`. Kernels that spin, as collectives do while they wait for other ranks, count as busy.

**Read it so:** a well-fed training job computes for over 85 % of its span. A high idle ratio asks for
`idle_time`, a high non_compute ratio for `comm_overlap`; one rank unlike the others for
`kernel_distribution`.
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
          RatioColumn("idle_ratio", "idle, share"),
          RatioColumn("compute_ratio", "compute, share"),
          RatioColumn("non_compute_ratio", "non-compute, share")};
}

Table RankTable(const Facts& facts) {
  Table table{.key = "ranks", .title = "Time of each device", .columns = DeviceKeys()};
  AddColumns(table, TimeColumns());
  for (const DeviceFacts& device : facts.devices) {
    auto row = DeviceCells(device);
    AddTimes(row, device.total);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table StepTable(const Facts& facts) {
  Table table{.key = "steps", .title = "Time of each step", .columns = DeviceKeys()};
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
  // With one step a rank, the table of ranks has said it all.
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

std::string Share(int64_t part, int64_t whole) {
  return HumanRatio(whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole));
}

std::string Headline(const Facts& facts, const Totals& t) {
  const size_t devices = facts.devices.size();
  std::string text = fmt::format("Over {} of accelerator activity{}, {} of the time computed",
                                 HumanTime(static_cast<double>(t.longest)),
                                 devices == 1 ? "" : fmt::format(" on {} devices", devices),
                                 Share(t.compute, t.span));
  if (t.exposed > 0) text += fmt::format(", {} only communicated", Share(t.exposed, t.span));
  if (t.memory > 0) text += fmt::format(", {} only copied memory", Share(t.memory, t.span));
  return text + fmt::format(", and {} was idle.", Share(t.idle, t.span));
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kTemporalBreakdown, facts);
  if (report.status == Status::kUnavailable) return report;
  const Totals totals = AddUp(facts);
  report.headline = Headline(facts, totals);
  report.metrics = {
      {"compute_ratio", "computing", Ratio(totals.compute, totals.span), Unit::kRatio},
      {"non_compute_ratio", "busy otherwise",
       Ratio(totals.span - totals.idle - totals.compute, totals.span), Unit::kRatio},
      {"idle_ratio", "idle", Ratio(totals.idle, totals.span), Unit::kRatio},
  };
  if (const auto step_time = StepTime(facts.ranks)) {
    report.metrics.push_back({"step_time", "from one step to the next, on the slowest rank",
                              *step_time, Unit::kNanoseconds});
  }
  report.tables.push_back(RankTable(facts));
  report.tables.push_back(StepTable(facts));
  if (!facts.HasSteps()) {
    report.notes.push_back({"no_steps", 1,
                            "the traces hold no ProfilerStep#N annotations, so nothing "
                            "can be told by step; call profiler.step() in the loop",
                            ""});
  }
  return report;
}

}  // namespace

const Analysis kTemporalBreakdown = {
    .name = "temporal_breakdown",
    .title = "Where the time went",
    .doc = kDoc,
    .needs = kRankActivityNeeds,
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
