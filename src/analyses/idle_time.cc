// Divides the idle time of each stream by cause: host wait, kernel wait, or other.
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/idle_time_intervals.h"
#include "analyses/idle_time_waits.h"
#include "analyses/partial_note.h"
#include "facts/activity/compute_cover.h"
#include "facts/derived/steps/of_partials.h"
#include "facts/devices/idle_wait_sums.h"
#include "facts/devices/stream_idle.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace idle_time {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** Why was each stream idle between two activities?

**Definition:** A gap is from the end of all earlier activities of a stream to the start of the next one. The end
is a running maximum, so overlapping kernels never make a gap negative. Each gap has one cause:

- `host_wait`: the launch call of the next activity began after the stream was already idle.
- `kernel_wait`: the launch was in time, and the gap is shorter than `consecutive_kernel_delay`.
- `other`: waiting for another stream or device, an event, or memory.

`intervals` has statistics of the gaps by stream and cause, with quartiles as pandas' describe() has them. An activity
that starts as the stream gets free counts there as a gap of 0.

One-time work of the host (as in `overview`) is part of host_wait, and no finding.

`idle_waits` lists calls on launching threads that synchronize or copy while the trace's devices are idle for at least
`long_wait`. The host waited, and no recorded activity explains why. The finding about host-bound idle time leaves these
waits out.

**Limitations:** Activities without a launch call in the trace are never host_wait. An idle stream is not an
idle device: a communication stream is idle when nothing is sent. With selected steps, two kinds of gaps are left
out: the gap before a stream's first activity, and gaps that contain steps not selected. `idle_waits` is empty then,
because the host may wait for activities of other steps. A profiler slows the host, and a loop that keeps its devices
busy without one may not with it: where devices are busy for a third of span or more, the finding says so.

**Interpretation:** Look at the main stream, the one with the most compute. Its host_wait is launch overhead, Python,
data loading or synchronization. Use CUDA graphs, torch.compile, larger batches or more loader workers. `other`
on the main stream is usually waiting for communication.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"consecutive_kernel_delay", Parameter::Type::kInteger, "30000", Unit::kNanoseconds,
     "shorter gaps are kernel_wait, unless the launch was late"},
    {"long_wait", Parameter::Type::kInteger, "1000000", Unit::kNanoseconds,
     "list host waits for idle devices from this duration"},
});

// The stream with the most compute of each device.
CondensedStream FindMain(std::span<const CondensedStream> streams) {
  CondensedStream main{.stream = -1};
  for (const CondensedStream& stream : streams) {
    const auto weight = [](const CondensedStream& idle) {
      return std::pair(idle.compute, idle.busy);
    };
    if (main.events == 0 || weight(stream) > weight(main)) main = stream;
  }
  return main;
}

// Sums over the main streams of all devices.
struct Totals {
  int64_t host_wait = 0, kernel_wait = 0, other = 0;
  int64_t one_time = 0;        // of host_wait
  int64_t lost = 0;            // host-bound idle time of devices, without one-time work
  int64_t idle = 0, span = 0;  // of devices
  int64_t worst_lost = -1, worst_stream = -1;
  const DeviceFacts* worst_device = nullptr;
  std::vector<int64_t> streams;  // the main one of each device
};

// The streams of a recording, and ns of its host's waits that are a finding of their own.
struct RankIdle {
  IdleOfStreams idle;
  int64_t waits = 0;
};

// Of its device.
std::span<CondensedStream> StreamsOf(const DeviceFacts& device, RankIdle& of) {
  const int64_t number = device.rank->devices[device.device_index];
  const auto own = std::ranges::equal_range(of.idle.streams, number, {}, &CondensedStream::device);
  return {own.begin(), own.end()};
}

void AddDevice(Totals& totals, const DeviceFacts& device, const CondensedStream& main,
               int64_t waits) {
  totals.host_wait += main.host_wait;
  totals.kernel_wait += main.kernel_wait;
  totals.other += main.other;
  totals.one_time += main.one_time;
  // A device loses at most its idle time: other streams may have filled the gaps. What the host
  // waited for nothing is not lost twice.
  const int64_t left = std::max<int64_t>(device.total.Idle() - waits, 0);
  const int64_t lost = std::min(main.host_wait - main.one_time, left);
  totals.lost += lost;
  totals.streams.push_back(main.stream);
  totals.idle += device.total.Idle();
  totals.span += device.total.Span();
  if (lost <= totals.worst_lost) return;
  totals.worst_lost = lost;
  totals.worst_stream = main.stream;
  totals.worst_device = &device;
}

// From which busy share of a device on recording may have made the host slower than the device:
// profilers made loops on an H100 take 1.0 to 2.7 times as long.
constexpr double kOfProfiler = 1.0 / 3;

constexpr Advice kRelieveHostInTraining{
    "find what the host does in these gaps: data loading (more workers, pinned memory), "
    "synchronization (.item(), .cpu(), printing tensors), or many small launches (torch.compile, "
    "CUDA graphs, a larger batch)",
    "find what the host does in these gaps: input (prefetch, num_parallel_calls), synchronization "
    "(.numpy(), printing tensors), or many small launches (jit_compile=True, a larger batch)",
    "find what the host does in these gaps: input (prefetch to the device), synchronization "
    "(float(), np.asarray(), block_until_ready), or many small programs (jit the whole step)"};
constexpr AdviceByPurpose kRelieveHost{
    kRelieveHostInTraining,
    {"find what the host does in these gaps: preparing the next batch, synchronization (.item(), "
     ".cpu(), sampled tokens), or many small launches (torch.compile, CUDA graphs, a larger batch)",
     kRelieveHostInTraining.tensorflow, kRelieveHostInTraining.jax},
    kRelieveHostInTraining};

// What Python did on the launching threads while main streams waited for a late launch.
FrameTimes PythonInGaps(const Facts& facts, const Totals& totals) {
  FrameTimes times(facts);
  if (!HasPython(facts) || IsOfPartials(facts)) return times;
  for (size_t d = 0; d < facts.devices.size(); ++d) {
    const RankActivity& rank = *facts.devices[d].rank;
    const ComputeCover one_time = ComputeCover::OfOneTimeWork(*rank.host);
    std::map<uint32_t, std::vector<Interval>> windows;  // by thread
    int32_t step = kNoStep;
    for (const Activity& activity : rank.activities) {
      if (rank.streams[activity.stream].device_index != facts.devices[d].device_index ||
          rank.streams[activity.stream].stream != totals.streams[d])
        continue;
      const int32_t before = std::exchange(step, activity.step);
      const int64_t since = activity.free_since;
      if (since == kNoTime || activity.call == kNoCall || activity.launched <= since) continue;
      if (IsCutOff(rank, before, activity.step) || one_time.Within(since, activity.launched) > 0)
        continue;
      windows[rank.host->calls[activity.call].thread].push_back(
          {since, std::min(activity.launched, activity.start)});
    }
    for (auto& [thread, gaps] : windows) times.Add(rank, thread, UnionOf(std::move(gaps)));
  }
  return times;
}

void AddFinding(Report& report, const Facts& facts, const Totals& totals) {
  if (facts.MostKernelsMissing()) return;  // when devices were idle is unknown
  if (totals.span == 0) return;
  const double share = static_cast<double>(totals.lost) / static_cast<double>(totals.span);
  if (share < kMinShare) return;
  const int64_t per_device = totals.lost / static_cast<int64_t>(facts.devices.size());
  const double busy = 1 - static_cast<double>(totals.idle) / static_cast<double>(totals.span);
  const CauseKind cause = CauseOfIdle(facts);
  const bool of_host = cause == CauseKind::kHost || cause == CauseKind::kLaunch;
  const bool doubtful = of_host && busy >= kOfProfiler;
  report.findings.push_back(
      {.message = doubtful ? Say("Host-bound idle time is {share} of span; the profiler, which "
                                 "slows the host, may be the cause.",
                                 HumanRatio(share))
                           : Say("Host-bound idle time is {share} of span.", HumanRatio(share)),
       .because =
           Say("{time} per device in gaps before late kernel launches; worst: {device}, stream "
               "{stream} ({most})",
               HumanTime(static_cast<double>(per_device)), SayDevice(*totals.worst_device),
               totals.worst_stream, HumanTime(static_cast<double>(totals.worst_lost))) +
           SayPython(PythonInGaps(facts, totals), std::ssize(facts.devices)),
       .hint = doubtful ? Say("time steps without the profiler: if they take {share} of the time "
                              "here, devices are the limit; else {hint}",
                              HumanRatio(busy), Say(kRelieveHost, facts))
                        : Say(kRelieveHost, facts),
       .impact = per_device,
       .table = "main_streams",
       .cause = {cause}});
}

std::vector<Column> IdleColumns() {
  auto columns = DeviceKeys();
  std::ranges::move(
      std::vector{KeyColumn("stream", "stream"), CountColumn("events", "events"),
                  TimeColumn("busy", "busy"), TimeColumn("host_wait", "host wait"),
                  TimeColumn("kernel_wait", "kernel wait"), TimeColumn("other", "other"),
                  RatioColumn("idle_ratio", "gaps, % of stream span")},
      std::back_inserter(columns));
  return columns;
}

std::vector<Cell> IdleRow(const DeviceFacts& device, const CondensedStream& idle) {
  const int64_t gaps = idle.host_wait + idle.kernel_wait + idle.other;
  auto row = DeviceCells(device);
  row.insert(row.end(), {idle.stream, idle.events, idle.busy, idle.host_wait, idle.kernel_wait,
                         idle.other, Ratio(gaps, gaps + idle.busy)});
  return row;
}

Phrase Headline(const Totals& totals) {
  const int64_t gaps = totals.host_wait + totals.kernel_wait + totals.other;
  if (gaps == 0) return "Main streams have no gaps.";
  const auto share_of = [](int64_t part, int64_t whole) {
    return HumanRatio(static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole, 1)));
  };
  const auto share = [&](int64_t part) { return share_of(part, gaps); };
  const Phrase once =
      totals.one_time == 0 ? Phrase() : Say(" ({share} one-time work)", share(totals.one_time));
  return Say(
      "Main streams are idle for {share} of span; {host} of that is host wait{once}, {kernel} "
      "kernel wait, {other} other. Devices are idle for {idle} of span.",
      share_of(gaps, totals.span), share(totals.host_wait), once, share(totals.kernel_wait),
      share(totals.other), share_of(totals.idle, totals.span));
}

// Those of whole recordings.
void AddGaps(Table& table, const DeviceFacts& device, std::span<const CondensedStream> streams,
             IdleOfStreams& idle) {
  if (idle.gaps.empty()) return;
  for (const CondensedStream& stream : streams) {
    const auto index = static_cast<size_t>(&stream - idle.streams.data());
    AddIntervals(table, device, stream.stream, idle.gaps[index]);
  }
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kIdleTime, facts);
  if (report.status == Status::kUnavailable) return report;
  if (facts.OnHost()) {
    MakeUnavailable(report, "the job has no accelerator, so stream idle time is undefined");
    return report;
  }
  Table main_streams{.key = "main_streams",
                     .title = "Main stream gaps",
                     .columns = IdleColumns(),
                     .text_rows = 32};
  Table all_streams{.key = "streams", .title = "Gaps per stream", .columns = IdleColumns()};
  Table intervals = IntervalsTable();
  SetKinds(main_streams, {{"host_wait", ColumnKind::kHost},
                          {"kernel_wait", ColumnKind::kLaunch},
                          {"other", ColumnKind::kOther}});
  const int64_t short_gap = params.Integer("consecutive_kernel_delay");
  Totals totals;
  // With selected steps, activities of the other steps are missing.
  const bool lists_waits = facts.selected.empty() && !facts.MostKernelsMissing();
  const int64_t long_wait = params.Integer("long_wait");
  if (IsOfPartials(facts) && (short_gap != kShortGap || long_wait != kLongWait)) {
    MakeUnavailable(report,
                    "partials are of the parameters that are set without being asked: ask "
                    "the traces");
    return report;
  }
  const auto measure = [&](const RankActivity& rank) {
    RankIdle of{.idle = MeasureStreamIdle(rank, short_gap)};
    if (lists_waits) of.waits = IdleWaitsOf(rank, long_wait);
    return of;
  };
  ForEachDevice(facts, measure, [&](const DeviceFacts& device, RankIdle& of) {
    const std::span<CondensedStream> streams = StreamsOf(device, of);
    for (const CondensedStream& stream : streams)
      all_streams.rows.push_back(IdleRow(device, stream));
    AddGaps(intervals, device, streams, of.idle);
    const CondensedStream main = FindMain(streams);
    main_streams.rows.push_back(IdleRow(device, main));
    AddDevice(totals, device, main, of.waits);
  });
  all_streams.text_rows = all_streams.rows.size() > 12 ? 0 : Table::kAllRows;
  if (all_streams.rows.size() == main_streams.rows.size()) main_streams.text_rows = 0;
  report.headline = Headline(totals);
  report.tables.push_back(std::move(main_streams));
  report.tables.push_back(std::move(all_streams));
  if (!intervals.rows.empty() || !IsOfPartials(facts))
    report.tables.push_back(std::move(intervals));
  AddFinding(report, facts, totals);
  if (lists_waits) AddIdleWaits(report, facts, long_wait);
  NotePartials(facts, report);
  return report;
}

}  // namespace
}  // namespace idle_time

const Analysis kIdleTime = {
    .name = "idle_time",
    .title = "Idle time breakdown",
    .label = "Idle causes",
    .group = AnalysisGroup::kDevice,
    .summary = "Causes of stream idle time",
    .doc = idle_time::kDoc,
    .needs = kRankActivityNeeds | KindSet{Kind::kOperator},
    .numbers_need = kRankActivityNeeds,
    .of_partials = OfPartials::kAllSteps,
    .params = idle_time::kParams,
    .run = &idle_time::Run,
};

}  // namespace stepscope
