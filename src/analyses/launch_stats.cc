// Compares launch calls, launch delays and kernel durations.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/launch_stats_launches.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"

namespace stepscope {
namespace launch_stats {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Is the device fed in time? Which kernels are shorter than their launch call, which launch calls are
slow, and which kernels have a long launch delay?

**Definition:** Every kernel, memcpy and memset is joined with its launch call by correlation id. All launch calls of
CUDA, HIP and their drivers count, cooperative launches and graphs included. The launch delay is from the end of the
call to the start of the activity, and 0 if it started before the call returned. A **short kernel** is shorter than
its call. A **runtime outlier** is a call longer than `runtime_cutoff`. It counts once, with the first activity that it
launched. A **delay outlier** starts more than `launch_delay_cutoff` after its call. `call_mean` is the mean of calls, and
`gpu_mean` the mean of activities. The histograms have the launch delays, the durations of short kernels, and the
durations of slow calls. `runtime_calls` has all calls, launching
or not. With `launches`, a table has every activity with its call, correlation id and delay. Each point is the lower end of a bucket and the number in it. The last point is the end.

**Limitations:** Activities without a launch call in the trace do not count; `with_launch` is the number joined. A
graph's kernels share one call, and the delay of later kernels contains the time of earlier ones. They count in the
table of devices, but not in `outliers`.

**Interpretation:** A long delay is good if a queue causes it: the host is ahead. Delays near zero and many short kernels
mean that the host is too slow: fuse kernels (torch.compile), use CUDA graphs, or increase the batch size. A slow
call is often a blocking one, or a descheduled host thread.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"runtime_cutoff", Parameter::Type::kInteger, "50000", Unit::kNanoseconds,
     "launch calls longer than this are runtime outliers"},
    {"launch_delay_cutoff", Parameter::Type::kInteger, "100000", Unit::kNanoseconds,
     "activities with a longer launch delay are delay outliers"},
    {"launches",
     Parameter::Type::kText,
     "false",
     Unit::kNone,
     "true: list every launch, in table launches",
     {},
     &CheckLaunches},
});

constexpr double kManyShort = 0.3;   // of all kernels, to be reported
constexpr double kIdleEnough = 0.1;  // of span, else short kernels cost nothing
constexpr double kMinShare = 0.02;   // of span, for calls beyond the duration of their kernels
constexpr size_t kWorstKernels = 20;

enum class Group : uint8_t { kShort, kRuntime, kDelay };
constexpr std::array<std::string_view, 3> kGroupNames = {"short kernel", "runtime outlier",
                                                         "delay outlier"};

struct GroupSum {
  int64_t count = 0;
  int64_t excess = 0;  // ns beyond the kernel, or beyond the cutoff
  int64_t worst = 0;

  void Add(int64_t more) {
    ++count;
    excess = AddSaturated(excess, more);
    worst = std::max(worst, more);
  }
};

struct DeviceLaunches {
  int64_t events = 0;
  std::vector<int64_t> delays;
  std::vector<int64_t> shorts;      // durations of short kernels
  std::vector<int64_t> slow_calls;  // durations of runtime outliers
  int64_t calls = 0;                // each with its first activity
  int64_t call_time = 0;            // ns, of them
  int64_t activity = 0;             // ns, of activities that have a delay
  // Kernels launched by a call of their own: no copies, whose calls may wait, and no graphs.
  int64_t single = 0;
  GroupSum single_short;            // of which shorter than their call
  std::array<int64_t, 3> counts{};  // of each group
};

struct CallSum {
  int64_t kernels = 0;
  std::vector<int64_t> durations;
};

class Measure {
 public:
  explicit Measure(const Params& params)
      : runtime_cutoff_(params.Integer("runtime_cutoff")),
        delay_cutoff_(params.Integer("launch_delay_cutoff")) {}

  // All devices of a recording.
  std::vector<DeviceLaunches> Of(const RankActivity& rank) {
    std::vector<DeviceLaunches> devices(rank.devices.size());
    std::vector<bool> seen(rank.host->calls.size());
    StopChecks checks;
    std::vector<size_t> counts(devices.size());
    for (const Activity& activity : rank.activities) {
      if (activity.call != kNoCall) ++counts[rank.streams[activity.stream].device_index];
    }
    for (size_t d = 0; d < devices.size(); ++d) devices[d].delays.reserve(counts[d]);
    for (const Activity& activity : rank.activities) {
      checks.Turn();
      DeviceLaunches& device = devices[rank.streams[activity.stream].device_index];
      ++device.events;
      const auto call = rank.CallOf(activity);
      if (!call) continue;
      AddActivity(device, activity, *call, IsOneTime(*rank.host, *call));
      CallSum& sum = calls_[call->name];
      ++sum.kernels;
      if (seen[activity.call]) continue;
      seen[activity.call] = true;
      sum.durations.push_back(call->duration());
      AddCall(device, activity, *call);
    }
    return devices;
  }

  const std::array<std::unordered_map<StringId, GroupSum>, 3>& worst() const { return worst_; }
  std::unordered_map<StringId, CallSum>& calls() { return calls_; }
  // How much longer the calls of single launches are than their kernels, by kernel.
  std::vector<std::pair<StringId, int64_t>> SingleShort() const {
    return {single_short_.begin(), single_short_.end()};
  }

 private:
  void AddCall(DeviceLaunches& device, const Activity& first, const Call& call) {
    ++device.calls;
    device.call_time = AddSaturated(device.call_time, call.duration());
    if (call.duration() <= runtime_cutoff_) return;
    device.slow_calls.push_back(call.duration());
    Count(Group::kRuntime, device, first, call, call.duration() - runtime_cutoff_);
  }

  // Loading a kernel's code at its first launch says nothing about the others.
  static bool IsOneTime(const HostOps& host, const Call& call) {
    return std::ranges::binary_search(host.one_time, call.start, {}, &OneTimeWork::start);
  }

  void AddActivity(DeviceLaunches& device, const Activity& activity, const Call& call, bool once) {
    const int64_t delay = std::max<int64_t>(activity.start - call.end, 0);
    device.delays.push_back(delay);
    device.activity = AddSaturated(device.activity, activity.duration());
    const bool single = call.role == CallRole::kLaunch;
    if (single) ++device.single;
    if (activity.duration() < call.duration()) {
      const int64_t excess = call.duration() - activity.duration();
      if (single && !once) {
        device.single_short.Add(excess);
        int64_t& of_kernel = single_short_[activity.name];
        of_kernel = AddSaturated(of_kernel, excess);
      }
      device.shorts.push_back(activity.duration());
      Count(Group::kShort, device, activity, call, excess);
    }
    if (delay > delay_cutoff_) Count(Group::kDelay, device, activity, call, delay - delay_cutoff_);
  }

  void Count(Group group, DeviceLaunches& device, const Activity& activity, const Call& call,
             int64_t excess) {
    const auto g = static_cast<size_t>(group);
    ++device.counts[g];
    // A graph's kernels share a call, so its being longer than each of them means nothing.
    if (call.role != CallRole::kGraphLaunch) worst_[g][activity.name].Add(excess);
  }

  int64_t runtime_cutoff_, delay_cutoff_;
  std::array<std::unordered_map<StringId, GroupSum>, 3> worst_;  // by group and kernel
  std::unordered_map<StringId, CallSum> calls_;                  // by name
  std::unordered_map<StringId, int64_t> single_short_;           // ns, by kernel
};

Table RanksTable() {
  Table table{.key = "ranks", .title = "Launches per device", .columns = DeviceKeys()};
  AddColumns(
      table,
      {CountColumn("gpu_events", "activities"), CountColumn("with_launch", "with launch"),
       TimeColumn("call_mean", "mean call"), TimeColumn("gpu_mean", "mean activity"),
       TimeColumn("delay_sum", "delay sum"), TimeColumn("delay_mean", "mean delay"),
       TimeColumn("delay_p50", "p50"), TimeColumn("delay_p90", "p90"),
       TimeColumn("delay_p99", "p99"), TimeColumn("delay_max", "max"),
       CountColumn("short_kernels", "short kernels"), CountColumn("runtime_outliers", "slow calls"),
       CountColumn("delay_outliers", "delay outliers")});
  return table;
}

void AddRow(Table& table, const DeviceFacts& device, DeviceLaunches& l) {
  const Distribution delay = Describe(l.delays);
  auto row = DeviceCells(device);
  const bool any = delay.count > 0;
  const auto mean = [&](int64_t sum, int64_t count) -> Cell {
    if (count == 0) return {};
    return int64_t{std::llround(static_cast<double>(sum) / static_cast<double>(count))};
  };
  const auto group = [&](Group g) { return l.counts[static_cast<size_t>(g)]; };
  row.insert(row.end(),
             {l.events, delay.count, mean(l.call_time, l.calls), mean(l.activity, delay.count),
              When(any, delay.sum), When(any, delay.mean), When(any, delay.p50),
              When(any, delay.p90), When(any, delay.p99), When(any, delay.max),
              group(Group::kShort), group(Group::kRuntime), group(Group::kDelay)});
  table.rows.push_back(std::move(row));
}

Table WorstTable(const Facts& facts, const Measure& measure) {
  Table table{.key = "outliers",
              .title = "Kernels by outlier group",
              .columns = {Words(KeyColumn("group", "group")), KeyColumn("kernel", "kernel"),
                          CountColumn("count", "count"), TimeColumn("excess", "excess"),
                          TimeColumn("worst", "max excess")},
              .text_rows = 6};
  for (size_t g = 0; g < kGroupNames.size(); ++g) {
    std::vector<std::pair<StringId, GroupSum>> kernels(measure.worst()[g].begin(),
                                                       measure.worst()[g].end());
    std::ranges::sort(kernels, [&](const auto& a, const auto& b) {
      if (a.second.excess != b.second.excess) return a.second.excess > b.second.excess;
      return (*facts.names)[a.first] < (*facts.names)[b.first];
    });
    kernels.resize(std::min(kernels.size(), kWorstKernels));
    for (const auto& [name, sum] : kernels) {
      table.rows.push_back({std::string(kGroupNames[g]), std::string((*facts.names)[name]),
                            sum.count, sum.excess, sum.worst});
    }
  }
  return table;
}

Table CallsTable(const Facts& facts, Measure& measure) {
  Table table{
      .key = "calls",
      .title = "Launch calls",
      .columns = {KeyColumn("call", "call"), CountColumn("calls", "calls"),
                  CountColumn("launched", "launched"), TimeColumn("sum", "sum"),
                  TimeColumn("mean", "mean"), TimeColumn("p50", "p50"), TimeColumn("p90", "p90"),
                  TimeColumn("p99", "p99"), TimeColumn("max", "max")},
      .text_rows = 6};
  for (auto& [name, sum] : measure.calls()) {
    const Distribution d = Describe(sum.durations);
    table.rows.push_back({std::string((*facts.names)[name]), d.count, sum.kernels, d.sum, d.mean,
                          d.p50, d.p90, d.p99, d.max});
  }
  const ColumnOf call(table, "call"), time(table, "sum");
  std::ranges::sort(table.rows, [&](const auto& a, const auto& b) {
    if (time(a) != time(b)) return time.Int(a) > time.Int(b);
    return call.Text(a) < call.Text(b);
  });
  return table;
}

// Sums over all devices.
struct Totals {
  int64_t events = 0, linked = 0;
  int64_t single = 0, short_kernels = 0;  // launched by a call of their own; of which shorter
  int64_t lost = 0, idle = 0, span = 0;
  std::vector<int64_t> delays, shorts, slow_calls;
};

constexpr std::string_view kMergeTensorFlow =
    "fuse them: tf.function(jit_compile=True), a larger batch; table outliers names them";
constexpr std::string_view kMergeJax =
    "fuse them: more of the step under one jit, a larger batch; table outliers names them";
constexpr AdviceByPurpose kMerge{
    {"fuse or capture them: torch.compile, CUDA graphs, fused optimizers (fused=True), a larger "
     "batch; table outliers names them",
     kMergeTensorFlow, kMergeJax},
    {"fuse or capture them: torch.compile, CUDA graphs for each batch size (no enforce_eager), a "
     "larger batch; table outliers names them",
     kMergeTensorFlow, kMergeJax},
    {"fuse or capture them: torch.compile, CUDA graphs, a larger batch; table outliers names them",
     kMergeTensorFlow, kMergeJax}};

void AddFinding(Report& report, const Facts& facts, const Measure& measure, const Totals& t) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  if (t.single == 0 || t.span == 0) return;
  const double share = static_cast<double>(t.short_kernels) / static_cast<double>(t.single);
  const double idle = static_cast<double>(t.idle) / static_cast<double>(t.span);
  const double lost = static_cast<double>(t.lost) / static_cast<double>(t.span);
  if (share < kManyShort || idle < kIdleEnough || lost < kMinShare) return;
  const int64_t impact = t.lost / static_cast<int64_t>(facts.devices.size());
  report.findings.push_back(
      {.message = Say("Kernels shorter than their launch call are {share} of single launches.",
                      HumanRatio(share)),
       .because =
           Say("{count} of {launches}; their calls take {time} longer per device than the kernels, "
               "and devices idle for {idle} of span; worst: {kernels}",
               HumanCount(t.short_kernels), HumanCount(t.single),
               HumanTime(static_cast<double>(impact)), HumanRatio(idle),
               SayMost(facts, measure.SingleShort())),
       .hint = Say(kMerge, facts),
       .impact = impact,
       .table = "ranks",
       .cause = {CauseKind::kLaunch},
       .nearness = Nearness::kPart});
}

// Nothing has no histogram.
void AddHistogram(Report& report, std::string key, Phrase title,
                  const std::vector<int64_t>& values) {
  if (values.empty()) return;
  Series series{.key = std::move(key),
                .title = std::move(title),
                .x_unit = Unit::kNanoseconds,
                .y_unit = Unit::kCount};
  for (const auto& [bound, count] : HistogramOfRange(values))
    series.points.emplace_back(static_cast<double>(bound), static_cast<double>(count));
  const double most = static_cast<double>(std::ranges::max(values));
  series.points.emplace_back(std::max(most, series.points.back().first + 1), 0);
  report.series.push_back(std::move(series));
}

void Summarize(Report& report, Totals& t) {
  const Distribution delay = Describe(t.delays);
  report.metrics = {
      {"coverage", "activities with launch, %", Ratio(t.linked, t.events), Unit::kRatio},
      {"delay_p50", "median launch delay", delay.p50, Unit::kNanoseconds}};
  report.headline = Say("Median launch delay is {time}", HumanTime(static_cast<double>(delay.p50)));
  if (t.single > 0) {
    const double share = static_cast<double>(t.short_kernels) / static_cast<double>(t.single);
    report.headline +=
        Say("; {share} of single launches are shorter than their launch call", HumanRatio(share));
  }
  report.headline += ".";
  AddHistogram(report, "delay_histogram", "Launch delay histogram", t.delays);
  AddHistogram(report, "short_kernel_histogram", "Short kernel histogram", t.shorts);
  AddHistogram(report, "slow_call_histogram", "Slow call histogram", t.slow_calls);
}

void MoveBehind(std::vector<int64_t>& all, std::vector<int64_t>& more) {
  if (all.empty())
    all = std::move(more);
  else
    all.insert(all.end(), more.begin(), more.end());
}

// Takes the durations.
void AddTotals(Totals& t, const DeviceFacts& device, DeviceLaunches& l) {
  const GroupSum& shorts = l.single_short;
  t.events += l.events;
  t.linked += static_cast<int64_t>(l.delays.size());
  t.single += l.single;
  t.short_kernels += shorts.count;
  t.lost = AddSaturated(t.lost, std::min(shorts.excess, device.total.Idle()));
  t.idle = AddSaturated(t.idle, device.total.Idle());
  t.span = AddSaturated(t.span, device.total.Span());
  MoveBehind(t.delays, l.delays);
  MoveBehind(t.shorts, l.shorts);
  MoveBehind(t.slow_calls, l.slow_calls);
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kLaunchStats, facts);
  if (report.status == Status::kUnavailable) return report;
  Measure measure(params);
  Table ranks = RanksTable();
  ranks.text_rows = 16;
  Totals totals;
  const auto measure_rank = [&](const RankActivity& rank) { return measure.Of(rank); };
  ForEachDevice(facts, measure_rank, [&](const DeviceFacts& device, auto& devices) {
    AddRow(ranks, device, devices[device.device_index]);
    AddTotals(totals, device, devices[device.device_index]);
  });
  if (totals.linked == 0) {
    MakeUnavailable(report, WhyNothingLinked(facts));
    return report;
  }
  Summarize(report, totals);
  report.tables.push_back(std::move(ranks));
  report.tables.push_back(WorstTable(facts, measure));
  report.tables.push_back(CallsTable(facts, measure));
  report.tables.push_back(RuntimeCallsTable(facts));
  if (params.Text("launches") == "true") report.tables.push_back(LaunchesTable(facts));
  AddFinding(report, facts, measure, totals);
  return report;
}

}  // namespace
}  // namespace launch_stats

const Analysis kLaunchStats = {
    .name = "launch_stats",
    .title = "Launch statistics",
    .label = "Launches",
    .group = AnalysisGroup::kHost,
    .summary = "Launch delays, short kernels, slow calls",
    .doc = launch_stats::kDoc,
    .needs = kRankActivityNeeds,
    .params = launch_stats::kParams,
    .run = &launch_stats::Run,
};

}  // namespace stepscope
