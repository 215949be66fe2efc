// Divides device and host time by training phase: forward, backward, optimizer, data loading.
#include <algorithm>
#include <array>
#include <map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/kinds.h"
#include "base/saturate.h"
#include "facts/activity/range_phases.h"
#include "report/humanize.h"

namespace stepscope {
namespace phases {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** What is the breakdown of device time into forward, backward, optimizer and data loading?

**Definition:** Each device activity belongs to the phase of the code that launched it. The phase comes from
the outermost range with a known name: `autograd::engine` and names with backward, `Optimizer.step` and
`Optimizer.zero_grad`, `DataLoader`, `DistributedDataParallel.forward` and similar. Without such a range, it is
backward on autograd's threads, forward before the step's first backward, and other after it. `busy` divides
the device's busy time. Among concurrent activities the one that began first counts, so phases of a device sum to
its busy time. `work` is the sum of durations. `host` is the sum of the phase's outermost ranges on all threads.

**Limitations:** Code without names and without autograd has no phases: all of it is forward, such as inference.
Activities without a launch call in the trace are other.

**Interpretation:** Backward takes about twice as long as forward, or three times with activation checkpointing. If
optimizer time is above 5%, use fused or sharded optimizers. Data loading on the host makes the device idle only if it
does not overlap; see `idle_time`.
)md";

constexpr size_t kPhaseCount = 5;
constexpr double kLoadingWorthSaying = 0.05;  // of span

struct Sum {
  int64_t busy = 0, activity = 0, host = 0;
};
using ByPhase = std::array<Sum, kPhaseCount>;

struct Key {
  int64_t rank, window, device;
  int32_t step;  // kNoStep: outside steps
  auto operator<=>(const Key&) const = default;
};

using Sums = std::map<Key, ByPhase>;

void AddDeviceTime(const RankActivity& rank, const RangePhases& phases, Sums& sums) {
  std::vector<int64_t> until(rank.devices.size(), kNoTime);
  for (const Activity& activity : rank.activities) {
    const auto call = rank.CallOf(activity);
    const Phase phase = !call ? Phase::kOther : phases.At(call->range, call->thread, call->start);
    const Stream& stream = rank.streams[activity.stream];
    Sum& sum =
        sums[{rank.rank, rank.window, stream.device, activity.step}][static_cast<size_t>(phase)];
    int64_t& busy_until = until[stream.device_index];
    sum.activity = AddSaturated(sum.activity, activity.duration());
    sum.busy += std::max<int64_t>(activity.end - std::max(activity.start, busy_until), 0);
    busy_until = std::max(busy_until, activity.end);
  }
}

// Host time belongs to no device, so it counts for each device of the rank.
void AddHostTime(const Facts& facts, const RankActivity& rank, const RangePhases& phases,
                 Sums& sums) {
  const auto& ranges = rank.host->ranges;
  for (size_t r = 0; r < ranges.size(); ++r) {
    const HostRange& range = ranges[r];
    const Phase phase = phases.Told(r);
    const bool outermost =
        range.parent == kNoRange || phases.Told(static_cast<size_t>(range.parent)) == Phase::kOther;
    if (phase == Phase::kOther || !outermost || !facts.Counts(rank, range.start)) continue;
    for (const int64_t device : rank.devices) {
      Sum& sum = sums[{rank.rank, rank.window, device, rank.StepAt(range.start)}]
                     [static_cast<size_t>(phase)];
      sum.host = AddSaturated(sum.host, range.duration());
    }
  }
}

std::vector<Column> ValueColumns() {
  return {Words(KeyColumn("phase", "phase")), TimeColumn("busy", "device busy"),
          RatioColumn("busy_ratio", "% of busy"), TimeColumn("work", "sum of durations"),
          TimeColumn("host", "host time")};
}

void AddRows(Table& table, const std::vector<Cell>& keys, const ByPhase& phases) {
  int64_t busy = 0;
  for (const Sum& sum : phases) busy += sum.busy;
  for (size_t p = 0; p < kPhaseCount; ++p) {
    const Sum& sum = phases[p];
    if (sum.activity == 0 && sum.host == 0) continue;
    auto row = keys;
    row.insert(row.end(),
               {std::string(PhaseName(static_cast<Phase>(p))), sum.busy, Ratio(sum.busy, busy),
                sum.activity, sum.host, KindCell(KindOf(static_cast<Phase>(p)))});
    table.rows.push_back(std::move(row));
  }
}

struct Tables {
  Table ranks{.key = "ranks", .title = {}, .columns = DeviceKeys(), .text_rows = 12};
  Table steps{.key = "steps", .title = "Phases per step", .columns = DeviceKeys(), .text_rows = 0};
};

Tables MakeTables(const Facts& facts, const Sums& sums, ByPhase& total) {
  Tables tables;
  tables.ranks.title = Say("Phases per {noun}", DeviceNoun(facts));
  AddColumns(tables.ranks, ValueColumns());
  AddColumns(tables.steps, {KeyColumn("step", "step")});
  AddColumns(tables.steps, ValueColumns());
  AddKindColumn(tables.ranks);
  AddKindColumn(tables.steps);
  std::map<std::pair<int64_t, int64_t>, const RankActivity*> ranks;
  for (const RankActivity& rank : facts.ranks) ranks[{rank.rank, rank.window}] = &rank;
  std::map<std::array<int64_t, 3>, ByPhase> devices;
  for (const auto& [key, phases] : sums) {
    const auto& steps = ranks[{key.rank, key.window}]->steps;
    const Cell number =
        key.step == kNoStep ? Cell() : Cell(steps[static_cast<size_t>(key.step)].number);
    AddRows(tables.steps, {key.rank, key.window, key.device, number}, phases);
    ByPhase& device = devices[{key.rank, key.window, key.device}];
    for (size_t p = 0; p < kPhaseCount; ++p) {
      for (Sum* sum : {&device[p], &total[p]}) {
        sum->busy = AddSaturated(sum->busy, phases[p].busy);
        sum->activity = AddSaturated(sum->activity, phases[p].activity);
        sum->host = AddSaturated(sum->host, phases[p].host);
      }
    }
  }
  for (const auto& [key, phases] : devices) AddRows(tables.ranks, {key[0], key[1], key[2]}, phases);
  return tables;
}

Phrase Headline(const ByPhase& total) {
  int64_t busy = 0;
  for (const Sum& sum : total) busy = AddSaturated(busy, sum.busy);
  Phrase parts;
  for (size_t p = 0; p < kPhaseCount; ++p) {
    const double share =
        static_cast<double>(total[p].busy) / static_cast<double>(std::max<int64_t>(busy, 1));
    if (total[p].busy == 0) continue;
    if (!parts.empty()) parts += ", ";
    parts += Say("{share} {phase}", HumanRatio(share), PhaseName(static_cast<Phase>(p)));
  }
  return Say("Device busy time: {parts}.", parts);
}

// What Python did while data was loaded, of the training threads; as host time, for each device.
FrameTimes PythonInLoading(const Facts& facts) {
  FrameTimes times(facts);
  for (const RankActivity& rank : facts.ranks) {
    const auto thread = TrainingThread(*facts.names, rank);
    if (!thread) continue;
    const RangePhases phases(*facts.names, rank);
    std::vector<Interval> windows;
    for (size_t r = 0; r < rank.host->ranges.size(); ++r) {
      const HostRange& range = rank.host->ranges[r];
      if (range.thread == *thread && phases.Told(r) == Phase::kDataLoading &&
          facts.Counts(rank, range.start))
        windows.push_back({range.start, range.end});
    }
    const IntervalSet loading = UnionOf(std::move(windows));
    for (size_t d = 0; d < rank.devices.size(); ++d) times.Add(rank, *thread, loading);
  }
  return times;
}

// Adds a finding if data loading may make the device idle.
void AddFinding(Report& report, const Facts& facts, const ByPhase& total) {
  int64_t idle = 0, span = 0;
  for (const DeviceFacts& device : facts.devices) {
    idle = AddSaturated(idle, device.total.Idle());
    span = AddSaturated(span, device.total.Span());
  }
  const int64_t loading = total[static_cast<size_t>(Phase::kDataLoading)].host;
  const int64_t lost = std::min(loading, idle);
  if (span == 0) return;
  const double share = static_cast<double>(lost) / static_cast<double>(span);
  if (share < kLoadingWorthSaying) return;
  const auto devices = static_cast<double>(facts.devices.size());
  report.findings.push_back(
      {.message =
           Say("Data loading may cause idle time of up to {share} of span.", HumanRatio(share)),
       .because = Say("data loading takes {time} per device on the training thread; devices idle "
                      "for {idle}",
                      HumanTime(static_cast<double>(loading) / devices),
                      HumanTime(static_cast<double>(idle) / devices)) +
                  SayPython(PythonInLoading(facts), std::ssize(facts.devices)),
       .hint = Say(kLoadAhead, facts),
       .impact = lost / static_cast<int64_t>(facts.devices.size()),
       .table = "ranks",
       .cause = {CauseKind::kInput}});
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kPhases, facts);
  if (report.status == Status::kUnavailable) return report;
  const bool any = std::ranges::any_of(
      facts.ranks, [](const RankActivity& r) { return !r.host->ranges.empty(); });
  if (!any) {
    MakeUnavailable(
        report, Say("the traces have no operators or annotations: {how}", Say(kRecordHost, facts)));
    return report;
  }
  Sums sums;
  for (const RankActivity& rank : facts.ranks) {
    const RangePhases phases(*facts.names, rank);
    AddDeviceTime(rank, phases, sums);
    AddHostTime(facts, rank, phases, sums);
  }
  ByPhase total{};
  Tables tables = MakeTables(facts, sums, total);
  report.headline = Headline(total);
  report.tables.push_back(std::move(tables.ranks));
  report.tables.push_back(std::move(tables.steps));
  AddFinding(report, facts, total);
  return report;
}

}  // namespace
}  // namespace phases

const Analysis kPhases = {
    .name = "phases",
    .title = "Training phases",
    .label = "Phases",
    .group = AnalysisGroup::kDevice,
    .summary = "Device time by training phase",
    .doc = phases::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = {},
    .run = &phases::Run,
};

}  // namespace stepscope
