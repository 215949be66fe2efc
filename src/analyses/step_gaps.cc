// What devices lose between one step and the next, and what the host does then.
#include "facts/derived/step_gaps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how long do devices stand still between two steps, and what is the host doing then?

**Counts:** `gap` is from the end of the last kernel of a step to the start of the first kernel of the next, on one
device; 0 where steps overlap. Work belongs to the step in which it was launched, and only steps whose numbers
follow one another count. `idle` is the part of the gap in which the device did nothing at all, `copies` that in which
it copied or set memory. `host_activity` is what the thread that launched the step's first kernel did most from
the beginning of the gap to that launch: the outermost range or call that does not hold all of that time. It is
"python" when most of it has no record, and "launched ahead" when the kernel had been launched before the
gap began, so that the device was held up by something it waited for. `host_call` is the call into the runtime
that took half of that time or more. A gap is large from `large_gap` of idle time on.

**Cannot see:** what other threads and processes did, unless the launching thread waited in a range that tells; gaps
within steps (see idle_time); steps that nobody marked.

**Read it so:** gaps of some tens of microseconds are normal. Large ones are the time for which the device waits for its
input, a synchronisation, logging or a checkpoint: load ahead, read metrics rarely, save in the background.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"large_gap", Parameter::Type::kInteger, "100000", Unit::kNanoseconds,
     "a gap in which the device idles for less is normal"},
});

constexpr double kWorthSaying = 0.05;  // of the device's time

// The gaps of one device, added up.
struct Sum {
  const DeviceFacts* device = nullptr;
  int64_t gaps = 0, large = 0;
  int64_t gap = 0, idle = 0, longest = 0;  // ns
  int64_t idle_in_large = 0;
  std::string activity;  // with the most idle time in large gaps, or in all where none is large

  double IdleRatio() const {
    return static_cast<double>(idle) /
           static_cast<double>(std::max<int64_t>(device->total.Span(), 1));
  }
};

Sum AddUp(const DeviceFacts& device, const std::vector<StepGap>& gaps, int64_t large_gap) {
  Sum sum{.device = &device};
  std::map<std::string_view, std::pair<int64_t, int64_t>> activities;  // idle in large, idle
  for (const StepGap& gap : gaps) {
    const bool is_large = gap.idle >= large_gap && gap.idle > 0;
    ++sum.gaps;
    sum.large += is_large ? 1 : 0;
    sum.gap = AddSaturated(sum.gap, gap.gap);
    sum.idle = AddSaturated(sum.idle, gap.idle);
    sum.longest = std::max(sum.longest, gap.gap);
    if (is_large) sum.idle_in_large = AddSaturated(sum.idle_in_large, gap.idle);
    if (gap.host.name.empty()) continue;
    auto& [in_large, in_all] = activities[gap.host.name];
    if (is_large) in_large = AddSaturated(in_large, gap.idle);
    in_all = AddSaturated(in_all, gap.idle);
  }
  const auto most =
      std::ranges::max_element(activities, {}, [](const auto& a) { return a.second; });
  if (most != activities.end()) sum.activity = most->first;
  return sum;
}

struct Found {
  std::vector<Sum> devices;  // with gaps
  struct Gap {
    const DeviceFacts* device = nullptr;
    StepGap gap;
  };
  std::vector<Gap> gaps;  // the longest first
};

Found FindAll(const Facts& facts, int64_t large_gap) {
  Found found;
  ForEachDevice(
      facts, [&](const RankActivity& rank) { return FindStepGaps(*facts.names, rank); },
      [&](const DeviceFacts& device, const std::vector<std::vector<StepGap>>& by_device) {
        const auto& gaps = by_device[device.device_index];
        if (gaps.empty()) return;
        found.devices.push_back(AddUp(device, gaps, large_gap));
        for (const StepGap& gap : gaps) found.gaps.push_back({&device, gap});
      });
  std::ranges::stable_sort(found.gaps, std::ranges::greater{},
                           [](const Found::Gap& g) { return std::pair(g.gap.gap, g.gap.idle); });
  return found;
}

Cell TextOr(const std::string& text) { return text.empty() ? Cell() : Cell(text); }

Table DeviceTable(const std::vector<Sum>& devices) {
  Table table{.key = "ranks",
              .title = "Gaps between the steps of each device",
              .columns = DeviceKeys(),
              .text_rows = 12};
  AddColumns(table, {CountColumn("gaps", "gaps"), CountColumn("large", "large"),
                     TimeColumn("gap_mean", "mean gap"), TimeColumn("gap_max", "longest gap"),
                     TimeColumn("idle", "idle"), RatioColumn("idle_ratio", "of its time"),
                     Column{"host_activity", "the host mostly"}});
  for (const Sum& sum : devices) {
    auto row = DeviceCells(*sum.device);
    row.insert(row.end(), {sum.gaps, sum.large, sum.gap / sum.gaps, sum.longest, sum.idle,
                           Ratio(sum.idle, sum.device->total.Span()), TextOr(sum.activity)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Of interest to a person where some are large.
Table GapTable(const std::vector<Found::Gap>& gaps, bool any_large) {
  Table table{.key = "gaps",
              .title = "The longest gaps between steps",
              .columns = DeviceKeys(),
              .text_rows = any_large ? 6u : 0u};
  AddColumns(table, {KeyColumn("step", "before step"), TimeColumn("gap", "gap"),
                     TimeColumn("idle", "idle"), TimeColumn("copies", "copies"),
                     Column{"host_activity", "the host mostly"},
                     TimeColumn("host_time", "for so long"), Column{"host_call", "in the call"}});
  for (const auto& [device, gap] : gaps) {
    auto row = DeviceCells(*device);
    row.insert(row.end(), {device->rank->steps[static_cast<size_t>(gap.step)].number, gap.gap,
                           gap.idle, gap.copies, TextOr(gap.host.name),
                           When(gap.host.time > 0, gap.host.time), TextOr(gap.host.call)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr Advice kReadLater{
    "do not wait for the device at the end of each step: read losses and metrics (.item(), "
    ".cpu()) every some steps only",
    "do not wait for the device at the end of each step: read losses and metrics (.numpy()) every "
    "some steps only",
    "do not wait for the device at the end of each step: read losses and metrics "
    "(block_until_ready, float()) every some steps only"};

std::string HintFor(const std::string& activity, const Facts& facts) {
  const bool loads = PhaseOfName(activity) == Phase::kDataLoading ||
                     HostActivityOfName(activity) == HostActivity::kInputWait;
  if (loads) return Say(kLoadAhead, facts);
  if (activity == kLaunchedAhead) {
    return "find what the first kernel of a step waits for: a copy of the input, an event of "
           "another "
           "stream or a collective; copy the next batch on a stream of its own (non_blocking=True)";
  }
  const CallRole role = RoleOfCall(activity);
  const bool waits = role == CallRole::kStreamSync || role == CallRole::kDeviceSync ||
                     role == CallRole::kEventSync || activity == "aten::item" ||
                     activity == "aten::_local_scalar_dense";
  if (waits) return Say(kReadLater, facts);
  return "move what the host does there off the training loop or do it rarely: logging, metrics, "
         "checkpoints, collecting garbage";
}

void AddFinding(Report& report, const Facts& facts, const std::vector<Sum>& devices) {
  const Sum& worst = *std::ranges::max_element(devices, {}, &Sum::idle_in_large);
  const double share = static_cast<double>(worst.idle_in_large) /
                       static_cast<double>(std::max<int64_t>(worst.device->total.Span(), 1));
  if (share < kWorthSaying) return;
  std::string because = fmt::format(
      "{} of {} gaps are large, {} on average", worst.large, worst.gaps,
      HumanTime(static_cast<double>(worst.idle_in_large) / static_cast<double>(worst.large)));
  if (!worst.activity.empty()) because += "; meanwhile the host is mostly in " + worst.activity;
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kHigh : Severity::kMedium,
       .message = fmt::format("Between steps {} stands still for {} of its time.",
                              SayDevice(*worst.device), HumanRatio(share)),
       .because = std::move(because),
       .hint = HintFor(worst.activity, facts),
       .impact = worst.idle_in_large,
       .table = "ranks"});
}

void AddMetrics(Report& report, const Found& found) {
  int64_t sum = 0, large = 0;
  for (const Sum& device : found.devices) {
    sum = AddSaturated(sum, device.gap);
    large += device.large;
  }
  const Sum& worst = *std::ranges::max_element(found.devices, {}, &Sum::IdleRatio);
  const int64_t mean = sum / static_cast<int64_t>(found.gaps.size());
  report.metrics = {{"gap_mean", "mean gap between steps", mean, Unit::kNanoseconds},
                    {"gap_max", "longest gap", found.gaps.front().gap.gap, Unit::kNanoseconds},
                    {"large", "large gaps", large, Unit::kCount},
                    {"idle_ratio", "idle between steps, at most", worst.IdleRatio(), Unit::kRatio}};
  report.headline = fmt::format(
      "Between steps devices wait {} on average, {} at most; {} stands still then for {} of its "
      "time.",
      HumanTime(static_cast<double>(mean)),
      HumanTime(static_cast<double>(found.gaps.front().gap.gap)), SayDevice(*worst.device),
      HumanRatio(worst.IdleRatio()));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kStepGaps, facts);
  if (report.status == Status::kUnavailable) return report;
  const Found found = FindAll(facts, params.Integer("large_gap"));
  if (found.gaps.empty()) {
    MakeUnavailable(report,
                    "no two steps that follow one another have kernels on one device: mark steps "
                    "with profiler.step(), or a step annotation of your framework, and select "
                    "several");
    return report;
  }
  AddMetrics(report, found);
  report.tables.push_back(DeviceTable(found.devices));
  const bool any_large =
      std::ranges::any_of(found.devices, [](const Sum& s) { return s.large > 0; });
  report.tables.push_back(GapTable(found.gaps, any_large));
  AddFinding(report, facts, found.devices);
  return report;
}

}  // namespace

const Analysis kStepGaps = {
    .name = "step_gaps",
    .title = "Gaps between steps",
    .summary = "Idle time between steps, host activity",
    .doc = kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
