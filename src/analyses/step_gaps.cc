// Measures idle time between steps and what the host does during it.
#include "facts/derived/steps/step_gaps.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyses/advice.h"
#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "report/kinds.h"
#include "report/period_of_steps.h"

namespace stepscope {
namespace step_gaps {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How long are devices idle between steps, and what does the host do then?

**Definition:** `gap` is from the end of a step's last kernel to the start of the next step's first kernel on a
device, and 0 if steps overlap. Activities belong to the step that launched them, and only consecutive step
numbers count. `idle` is the part of the gap in which the device ran nothing. `copies` is the part with memcpy or
memset. `host_activity` is the main activity of the thread that launched the step's first kernel, from
the beginning of the gap to that launch. It is the outermost range or call shorter than that time. It is
"python" if most of the time has no record. If that thread and the one with the steps only span the gap or
record nothing, it is the wait for input on another thread that took at least half of that time. It is "launched ahead" if the kernel had been launched before the gap,
so the device waited for something else. `host_call` is the runtime call that took at least half of that
time. A gap is large if its idle time is at least `large_gap`.

**Limitations:** Other threads and processes are not considered, unless the launching thread waited for them in a
named range. Gaps within steps are in `idle_time`. Steps without an annotation have no gaps.

**Interpretation:** Gaps of tens of microseconds are normal. In large ones, the device waits for input, a
synchronization, logging or a checkpoint. Load ahead, read metrics rarely, and save in the background.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"large_gap", Parameter::Type::kInteger, "100000", Unit::kNanoseconds,
     "a gap with at least this idle time is large"},
});

constexpr double kMinShare = 0.05;  // of span
constexpr double kMuch = 0.15;      // the same
constexpr int64_t kHardlyAny = 10;  // a tenth of the longest

// Sums over the gaps of one device.
struct Sum {
  const DeviceFacts* device = nullptr;
  int64_t gaps = 0, large = 0;
  int64_t gap = 0, idle = 0, longest = 0;  // ns
  int64_t idle_in_large = 0, most_idle = 0;
  std::string activity;  // with the most idle time in large gaps, or in all gaps if none is large

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
    sum.most_idle = std::max(sum.most_idle, gap.idle);
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
  std::vector<Sum> devices;  // those with gaps
  struct Gap {
    const DeviceFacts* device = nullptr;
    StepGap gap;
  };
  std::vector<Gap> gaps;  // longest first
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

Table DeviceTable(const Facts& facts, const std::vector<Sum>& devices) {
  Table table{.key = "ranks",
              .title = Say("Step gaps per {noun}", DeviceNoun(facts)),
              .columns = DeviceKeys(),
              .text_rows = 12};
  AddColumns(table, {CountColumn("gaps", "gaps"), CountColumn("large", "large"),
                     TimeColumn("gap_mean", "mean"), TimeColumn("gap_max", "max"),
                     TimeColumn("idle", "idle"), RatioColumn("idle_ratio", "idle, % of span"),
                     ValueColumn("host_activity", "main host activity")});
  SetKinds(table, {{"idle", ColumnKind::kIdle}});
  for (const Sum& sum : devices) {
    auto row = DeviceCells(*sum.device);
    row.insert(row.end(), {sum.gaps, sum.large, sum.gap / sum.gaps, sum.longest, sum.idle,
                           Ratio(sum.idle, sum.device->total.Span()), TextCell(sum.activity)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

// Shown to people only where some gaps are large.
Table GapTable(const std::vector<Found::Gap>& gaps, bool any_large) {
  Table table{.key = "gaps",
              .title = "Longest gaps between steps",
              .columns = DeviceKeys(),
              .text_rows = any_large ? 6u : 0u};
  AddColumns(table, {KeyColumn("step", "before step"), TimeColumn("gap", "gap"),
                     TimeColumn("idle", "idle"), TimeColumn("copies", "copies"),
                     ValueColumn("host_activity", "main host activity"),
                     TimeColumn("host_time", "its time"), ValueColumn("host_call", "main call")});
  for (const auto& [device, gap] : gaps) {
    auto row = DeviceCells(*device);
    row.insert(row.end(), {device->rank->steps[static_cast<size_t>(gap.step)].number, gap.gap,
                           gap.idle, gap.copies, TextCell(gap.host.name),
                           When(gap.host.time > 0, gap.host.time), TextCell(gap.host.call)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

constexpr Advice kReadResultsLater{
    "avoid waiting for the device at the end of each step: read results (.item(), .cpu()) every N "
    "steps or asynchronously",
    "avoid waiting for the device at the end of each step: read results (.numpy()) every N steps",
    "avoid waiting for the device at the end of each step: read results (block_until_ready, "
    "float()) every N steps"};
constexpr AdviceByPurpose kReadLater{
    {"avoid waiting for the device at the end of each step: read losses and metrics (.item(), "
     ".cpu()) every N steps",
     "avoid waiting for the device at the end of each step: read losses and metrics (.numpy()) "
     "every N steps",
     "avoid waiting for the device at the end of each step: read losses and metrics "
     "(block_until_ready, float()) every N steps"},
    ForAll("avoid waiting for the device at the end of each step: read sampled tokens "
           "asynchronously, and schedule the next batch meanwhile"),
    kReadResultsLater};
constexpr AdviceByPurpose kMoveOff{
    ForAll("move this host activity off the training loop or do it rarely: logging, metrics, "
           "checkpoints, garbage collection"),
    ForAll("move this host activity off the thread that launches, or overlap it with the device: "
           "scheduling, sampling, detokenization, logging, garbage collection"),
    ForAll("move this host activity off the loop that launches, or do it rarely: logging, metrics, "
           "garbage collection")};

constexpr Advice kStartInTime{
    "find what the first kernel of a step waits for: an input copy, an event of another stream or "
    "a collective; copy the next batch on a separate stream (non_blocking=True)",
    "find what the first kernel of a step waits for: an input copy, an event of another stream or "
    "a collective; prefetch to the device (tf.data.experimental.prefetch_to_device)",
    "find what the first kernel of a step waits for: an input copy, an event of another stream or "
    "a collective; put the next batch on the device during a step (jax.device_put)"};

CauseKind CauseOf(const std::string& activity, const Facts& facts) {
  if (activity.empty()) return CauseOfIdle(facts);
  const bool loads = PhaseOfName(activity) == Phase::kDataLoading ||
                     HostActivityOfName(activity) == HostActivity::kInputWait;
  if (loads) return CauseKind::kInput;
  if (activity == kLaunchedAhead) return CauseKind::kNone;
  const CallRole role = RoleOfCall(activity);
  const bool waits = role == CallRole::kStreamSync || role == CallRole::kDeviceSync ||
                     role == CallRole::kEventSync || activity == "aten::item" ||
                     activity == "aten::_local_scalar_dense";
  return waits ? CauseKind::kSync : CauseKind::kHost;
}

Phrase HintFor(CauseKind cause, const std::string& activity, const Facts& facts) {
  if (cause == CauseKind::kInput) return Say(kLoadAhead, facts);
  if (activity == kLaunchedAhead) return Say(kStartInTime, facts);
  if (cause == CauseKind::kSync) return Say(kReadLater, facts);
  if (cause == CauseKind::kCompilation) return Say(kKeepShapes, facts);
  return Say(kMoveOff, facts);
}

// The large gaps of a device, merged.
IntervalSet GapsOf(const Found& found, const Sum& of, int64_t large_gap) {
  std::vector<Interval> gaps;
  for (const auto& [device, gap] : found.gaps) {
    if (device == of.device && gap.idle >= large_gap) gaps.push_back(gap.during);
  }
  return UnionOf(std::move(gaps));
}

// Whether the host compiles in most of them.
bool Compiles(const Facts& facts, const Sum& of, const IntervalSet& gaps) {
  std::vector<StepWindow> windows;
  for (const Interval& gap : gaps)
    windows.push_back({.number = 0, .start = gap.start, .end = gap.end});
  int64_t compiling = 0;
  for (const StepBreakdown& gap : BreakStepsDown(*of.device->rank, *facts.names, windows))
    compiling = AddSaturated(compiling, TimeOf(gap, StepCategory::kCompilation));
  return 2 * compiling >= LengthOf(gaps) && compiling > 0;
}

// What Python did in the large gaps of a device.
FrameTimes PythonInGaps(const Facts& facts, const Found& found, const Sum& of, int64_t large_gap) {
  FrameTimes times(facts);
  if (!HasPython(facts)) return times;
  std::map<uint32_t, std::vector<Interval>> windows;  // by thread
  for (const auto& [device, gap] : found.gaps) {
    if (device == of.device && gap.idle >= large_gap && gap.thread)
      windows[*gap.thread].push_back(gap.during);
  }
  for (auto& [thread, gaps] : windows)
    times.Add(*of.device->rank, thread, UnionOf(std::move(gaps)));
  return times;
}

// ", in save_state (train.py:58)", where that function takes the gaps, or ", mostly in" it.
Phrase SayMostOf(const FrameTimes& python, int64_t gaps) {
  const auto leaders = python.Leaders(1);
  if (leaders.empty() || leaders.front().time < gaps / 2) return "";
  const Phrase function = Phrase::Name(LabelOf(leaders.front().name));
  return leaders.front().time < gaps / 4 * 3 ? Say(", mostly in {function}", function)
                                             : Say(", in {function}", function);
}

// The step of a recording that the host spent most of the gap in.
int64_t StepOf(const RankActivity& rank, const StepGap& gap) {
  if (!gap.thread) return rank.steps[static_cast<size_t>(gap.step)].number;
  const auto shared = [&](const auto& step) {
    return std::min(step.end, gap.during.end) - std::max(step.start, gap.during.start);
  };
  return std::ranges::max_element(rank.steps, {}, shared)->number;
}

// The steps whose gaps are not a tenth of the longest or less, where these are not all; ascending.
std::vector<int64_t> StepsOf(const Found& found, const Sum& of) {
  std::set<int64_t> steps;
  int64_t long_gaps = 0;
  for (const auto& [device, gap] : found.gaps) {
    if (device != of.device || gap.idle <= of.most_idle / kHardlyAny) continue;
    ++long_gaps;
    steps.insert(StepOf(*device->rank, gap));
  }
  if (long_gaps == of.gaps) return {};
  return {steps.begin(), steps.end()};
}

// " in every 4th step (7, 11 and 15)": in which steps the gaps of a rank are long, where these are
// no more than half.
Phrase SayWhen(const Found& found, const Sum& of) {
  std::map<int64_t, int64_t> idle;  // by step
  for (const auto& [device, gap] : found.gaps) {
    if (device == of.device) idle[StepOf(*device->rank, gap)] += gap.idle;
  }
  std::vector<int64_t> numbers, times, in;
  for (const auto& [step, time] : idle) {
    numbers.push_back(step);
    times.push_back(time);
  }
  return SaySteps(numbers, times, static_cast<double>(of.most_idle) / kHardlyAny, in);
}

// What the host does in most of the gaps, and in which steps of the one rank.
Where WhereOf(const Found& found, const Sum& of, const FrameTimes& python,
              std::optional<int64_t> rank, bool one_rank) {
  Where where;
  const auto leaders = python.Leaders(1);
  if (!leaders.empty() && leaders.front().time >= of.idle_in_large / 2)
    where.event = Phrase::Name(LabelOf(leaders.front().name));
  else if (of.activity != kLaunchedAhead && of.activity != kPythonActivity)
    where.event = Phrase::Name(of.activity);
  if (!rank && !one_rank) return where;
  where.steps = StepsOf(found, of);
  if (!where.steps.empty() && rank) where.ranks = {*rank};
  return where;
}

// The rank of the worst device, where the devices of others idle for half as long at most.
std::optional<int64_t> RankOf(const std::vector<Sum>& devices, const Sum& worst) {
  const auto others = [&](const Sum& s) { return s.device->rank != worst.device->rank; };
  const auto close = [&](const Sum& s) {
    return others(s) && s.idle_in_large > worst.idle_in_large / 2;
  };
  const bool alone = std::ranges::any_of(devices, others) && std::ranges::none_of(devices, close);
  return alone ? std::optional(worst.device->rank->rank) : std::nullopt;
}

void AddFinding(Report& report, const Facts& facts, const Found& found, int64_t large_gap) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  const std::vector<Sum>& devices = found.devices;
  const Sum& worst = *std::ranges::max_element(devices, {}, &Sum::idle_in_large);
  const double share = static_cast<double>(worst.idle_in_large) /
                       static_cast<double>(std::max<int64_t>(worst.device->total.Span(), 1));
  if (share < kMinShare) return;
  const CauseKind cause = Compiles(facts, worst, GapsOf(found, worst, large_gap))
                              ? CauseKind::kCompilation
                              : CauseOf(worst.activity, facts);
  Phrase because =
      Say("{count} of {all} gaps are {large} or more, {mean} idle on average, {max} at most",
          worst.large, worst.gaps, HumanTime(static_cast<double>(large_gap)),
          HumanTime(static_cast<double>(worst.idle_in_large) / static_cast<double>(worst.large)),
          HumanTime(static_cast<double>(worst.most_idle)));
  if (!worst.activity.empty())
    because += Say("; main host activity: {activity}", Phrase::Name(worst.activity));
  const FrameTimes python = PythonInGaps(facts, found, worst, large_gap);
  because += SayPython(python, worst.large);
  const std::optional<int64_t> rank = RankOf(devices, worst);
  report.findings.push_back(
      {.message = Say("Between steps, {device} idles for {share} of span{most}{when}.",
                      SayDevice(*worst.device), HumanRatio(share),
                      SayMostOf(python, worst.idle_in_large), SayWhen(found, worst)),
       .because = std::move(because),
       .hint = HintFor(cause, worst.activity, facts),
       .impact = worst.idle_in_large,
       .table = "ranks",
       .cause = {cause, rank},
       .extent = {worst.device->total.Span()},
       .where = WhereOf(found, worst, python, rank, HasOneRank(facts)),
       // Between steps a host draws its batch, by intent or not.
       .at_most = facts.OnHost() && share < kMuch ? Severity::kMedium : Severity::kHigh});
}

void AddMetrics(Report& report, const Found& found) {
  int64_t sum = 0, large = 0;
  for (const Sum& device : found.devices) {
    sum = AddSaturated(sum, device.gap);
    large += device.large;
  }
  const Sum& worst = *std::ranges::max_element(found.devices, {}, &Sum::IdleRatio);
  const int64_t mean = sum / static_cast<int64_t>(found.gaps.size());
  report.metrics = {
      {"gap_mean", "mean gap between steps", mean, Unit::kNanoseconds},
      {"gap_max", "max gap", found.gaps.front().gap.gap, Unit::kNanoseconds},
      {"large", "large gaps", large, Unit::kCount},
      {"idle_ratio", "idle between steps, % of span", worst.IdleRatio(), Unit::kRatio}};
  report.headline =
      Say("Gaps between steps are {mean} on average, max {max}; worst: {device} idles for {share} "
          "of span.",
          HumanTime(static_cast<double>(mean)),
          HumanTime(static_cast<double>(found.gaps.front().gap.gap)), SayDevice(*worst.device),
          HumanRatio(worst.IdleRatio()));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kStepGaps, facts);
  if (report.status == Status::kUnavailable) return report;
  const Found found = FindAll(facts, params.Integer("large_gap"));
  if (found.gaps.empty()) {
    MakeUnavailable(report, Say("no device has kernels in two consecutive steps: {how}, and select "
                                "several steps",
                                Say(kMarkSteps, facts)));
    return report;
  }
  AddMetrics(report, found);
  report.tables.push_back(DeviceTable(facts, found.devices));
  const bool any_large =
      std::ranges::any_of(found.devices, [](const Sum& s) { return s.large > 0; });
  report.tables.push_back(GapTable(found.gaps, any_large));
  AddFinding(report, facts, found, params.Integer("large_gap"));
  return report;
}

}  // namespace
}  // namespace step_gaps

const Analysis kStepGaps = {
    .name = "step_gaps",
    .title = "Gaps between steps",
    .label = "Step gaps",
    .group = AnalysisGroup::kHost,
    .summary = "Idle time between steps, host activity",
    .doc = step_gaps::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .params = step_gaps::kParams,
    .run = &step_gaps::Run,
};

}  // namespace stepscope
