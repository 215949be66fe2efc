// Why each stream was idle: the host was late, kernels followed one another slowly, or something else.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** what was each stream waiting for between two pieces of its work?

**Counts:** per stream, every gap between the end of all earlier work and the next start (a running
maximum, so overlapping kernels never make a gap negative):
`host_wait` if the call that launched the next piece began after the stream had run dry: the host was
late; else `kernel_wait` if the gap is shorter than `consecutive_kernel_delay`: the hardware's own
latency between kernels; else `other`: waiting for another stream or device, an event, memory.

**Cannot see:** work without a launch call in the trace is never host_wait. An idle stream is not an
idle device: a communication stream idles whenever nothing is to be sent. Selecting steps cuts gaps
between steps that are not next to each other.

**Read it so:** look at the stream with the most work. host_wait there is launch overhead, Python, data
loading or synchronisation: CUDA graphs, torch.compile, larger batches, more loader workers. `other`
there is usually waiting for communication.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"consecutive_kernel_delay", Parameter::Type::kInteger, "30000", Unit::kNanoseconds,
     "gaps shorter than this, between kernels that were launched in time, are kernel_wait"},
});

constexpr double kWorthSaying = 0.05;  // of the span

struct StreamIdle {
  int64_t host_wait = 0, kernel_wait = 0, other = 0, busy = 0, count = 0;
  int64_t first = 0;
  int64_t busy_until = kNoTime;
  int32_t step = kNoStep;
};

void AddGap(StreamIdle& idle, const Work& work, int64_t threshold) {
  const int64_t gap = work.start - idle.busy_until;
  if (gap <= 0) return;
  int64_t& sum = work.launched != kNoTime && work.launched > idle.busy_until ? idle.host_wait
                 : gap < threshold                                          ? idle.kernel_wait
                                                                            : idle.other;
  sum += gap;
}

std::vector<StreamIdle> MeasureStreams(const RankWork& rank, int64_t threshold) {
  std::vector<StreamIdle> streams(rank.streams.size());
  for (const Work& work : rank.work) {
    StreamIdle& idle = streams[work.stream];
    const bool new_stretch = work.step > idle.step + 1 && idle.step != kNoStep;
    if (idle.count++ == 0) {
      idle.first = work.start;
    } else if (!new_stretch) {
      AddGap(idle, work, threshold);
    }
    const int64_t covered = std::max(work.start, idle.busy_until);
    if (work.end > covered) idle.busy += work.end - covered;
    idle.busy_until = std::max(idle.busy_until, work.end);
    idle.step = work.step;
  }
  return streams;
}

// The stream that did the most, for each device: the one whose waiting matters.
struct MainStream {
  int64_t stream = -1;
  StreamIdle idle;
};
MainStream FindMain(const DeviceFacts& device, const std::vector<StreamIdle>& streams) {
  MainStream main;
  for (size_t s = 0; s < streams.size(); ++s) {
    const Stream& stream = device.rank->streams[s];
    if (stream.device_index != device.device_index || streams[s].count == 0) continue;
    if (main.stream < 0 || streams[s].busy > main.idle.busy) main = {stream.stream, streams[s]};
  }
  return main;
}

struct HostWait {
  int64_t sum = 0, span = 0, worst = 0, worst_stream = -1;
  const DeviceFacts* worst_device = nullptr;
};

void AddFinding(Report& report, const Facts& facts, const HostWait& wait) {
  if (wait.span == 0) return;
  const double share = static_cast<double>(wait.sum) / static_cast<double>(wait.span);
  if (share < kWorthSaying) return;
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kHigh : Severity::kMedium,
       .says = fmt::format("Devices wait for the host {} of the time.", HumanRatio(share)),
       .because = fmt::format("on each device's busiest stream, {} of gaps end with a launch that came "
                              "too late; most on {}, stream {} ({})",
                              HumanRatio(share), SayDevice(*wait.worst_device), wait.worst_stream,
                              HumanTime(static_cast<double>(wait.worst))),
       .hint = "find what the host does in these gaps: data loading (more workers, pinned memory), "
               "synchronisation (.item(), .cpu(), print of tensors), or many small launches "
               "(torch.compile, CUDA graphs, a larger batch)",
       .worth = wait.sum / static_cast<int64_t>(facts.devices.size())});
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kIdleTime, facts);
  if (report.status == Status::kUnavailable) return report;
  Table table{.key = "streams", .title = "Gaps of each stream", .columns = DeviceKeys(), .text_rows = 24};
  AddColumns(table, {KeyColumn("stream", "stream"), CountColumn("events", "events"),
                     TimeColumn("busy", "busy"), TimeColumn("host_wait", "host wait"),
                     TimeColumn("kernel_wait", "kernel wait"), TimeColumn("other", "other"),
                     RatioColumn("idle_ratio", "idle")});
  const int64_t threshold = params.Integer("consecutive_kernel_delay");
  HostWait wait;
  StreamIdle all;
  std::vector<StreamIdle> streams;
  const RankWork* measured = nullptr;
  for (const DeviceFacts& device : facts.devices) {
    if (device.rank != measured) streams = MeasureStreams(*device.rank, threshold);
    measured = device.rank;
    for (size_t s = 0; s < streams.size(); ++s) {
      const Stream& stream = device.rank->streams[s];
      const StreamIdle& idle = streams[s];
      if (stream.device_index != device.device_index || idle.count == 0) continue;
      const int64_t gaps = idle.host_wait + idle.kernel_wait + idle.other;
      auto row = DeviceCells(device);
      row.insert(row.end(), {stream.stream, idle.count, idle.busy, idle.host_wait, idle.kernel_wait,
                             idle.other, Ratio(gaps, gaps + idle.busy)});
      table.rows.push_back(std::move(row));
    }
    const MainStream main = FindMain(device, streams);
    // What the device lost is no more than it was idle: other streams may have filled the gaps.
    const int64_t lost = std::min(main.idle.host_wait, device.total.Idle());
    all.host_wait += main.idle.host_wait;
    all.kernel_wait += main.idle.kernel_wait;
    all.other += main.idle.other;
    wait.sum += lost;
    wait.span += device.total.Span();
    if (wait.worst_device == nullptr || lost > wait.worst) {
      wait.worst = lost;
      wait.worst_stream = main.stream;
      wait.worst_device = &device;
    }
  }
  report.tables.push_back(std::move(table));
  const int64_t gaps = all.host_wait + all.kernel_wait + all.other;
  if (gaps > 0) {
    const auto share = [&](int64_t part) {
      return HumanRatio(static_cast<double>(part) / static_cast<double>(gaps));
    };
    report.headline = fmt::format(
        "Of the gaps on each device's busiest stream, {} are waiting for the host, {} the latency "
        "between kernels, {} something else.", share(all.host_wait), share(all.kernel_wait), share(all.other));
  } else {
    report.headline = "The busiest stream of each device has no gaps.";
  }
  AddFinding(report, facts, wait);
  return report;
}

}  // namespace

const Analysis kIdleTime = {
    .name = "idle_time",
    .title = "What idle streams waited for",
    .doc = kDoc,
    .needs = kRankWorkNeeds,
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
