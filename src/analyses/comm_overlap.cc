// How much communication is hidden behind compute.
//
// A microsecond of communication is hidden when, at that instant and on that device, some compute
// kernel runs on another stream. Two compute streams hide it once, not twice: both sides are
// unions.
#include <fmt/format.h>

#include <algorithm>

#include "analyses/all.h"
#include "analyses/build.h"
#include "facts/derived/exposed_waits.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how much of the communication between accelerators costs nothing, because compute runs
meanwhile, and how much holds the device up?

**Counts:** per device, the union of communication kernels of every library (NCCL, RCCL, symmetric
memory, NVSHMEM, ...); `overlapped` is the part of it during which any compute kernel runs, `exposed`
the rest, and overlap_ratio = overlapped / communication. A kernel is communication if it carries a
collective's name, or by its own name.

**Cannot see:** why communication is long. A rank that arrives early waits inside the kernel; its
exposed time is then the fault of another rank. Overlap is not free either: both sides share memory
bandwidth and the multiprocessors.

**Read it so:** what counts is `exposed` against the span. In data parallel training under 5 % of the
span is good; much more asks for smaller or earlier buckets, prefetching, or less to send.
)md";

constexpr double kWorthSaying = 0.05;  // of the span

struct Exposed {
  int64_t communication = 0, exposed = 0, span = 0;
  const DeviceFacts* worst = nullptr;
};

Exposed AddUp(const Facts& facts) {
  Exposed sum;
  for (const DeviceFacts& device : facts.devices) {
    sum.communication += device.total.Communication();
    sum.exposed += device.total.Exposed();
    sum.span += device.total.Span();
    if (sum.worst == nullptr || device.total.Exposed() > sum.worst->total.Exposed()) {
      sum.worst = &device;
    }
  }
  return sum;
}

constexpr Advice kStartEarlier{
    "start communication earlier: gradient buckets that fill sooner (bucket_cap_mb), FSDP "
    "prefetching, asynchronous collectives; see stragglers for a rank that others wait for",
    "start communication earlier: smaller packs of gradients "
    "(CommunicationOptions(bytes_per_pack=...)); see stragglers for a rank that others wait for",
    "let XLA hide it: the latency hiding scheduler "
    "(--xla_gpu_enable_latency_hiding_scheduler=true), or another sharding that sends less; see "
    "stragglers for a rank that others wait for"};

void AddFinding(Report& report, const Facts& facts, const Exposed& sum) {
  const double share = static_cast<double>(sum.exposed) / static_cast<double>(sum.span);
  if (share < kWorthSaying) return;
  const auto devices = static_cast<int64_t>(facts.devices.size());
  const int64_t exposed = sum.exposed / devices;
  // What ranks wait for one another is no fault of the communication, and told by `stragglers`.
  const int64_t waiting = std::min(ExposedWaits(facts).Total(), sum.exposed) / devices;
  const int64_t communication = sum.communication / devices;
  report.findings.push_back(
      {.severity = share >= 0.2 ? Severity::kHigh : Severity::kMedium,
       .message =
           fmt::format("Communication that nothing hides takes {} of the time.", HumanRatio(share)),
       .because = fmt::format(
           "{} of {} of communication per device run without compute{}; most on {} ({})",
           HumanTime(static_cast<double>(exposed)), HumanTime(static_cast<double>(communication)),
           waiting == 0 ? ""
                        : fmt::format(", {} of it waiting for other ranks",
                                      HumanTime(static_cast<double>(waiting))),
           SayDevice(*sum.worst), HumanTime(static_cast<double>(sum.worst->total.Exposed()))),
       .hint =
           waiting > exposed / 2
               ? "most of it is waiting for ranks that come late: see stragglers for which, and why"
               : Say(kStartEarlier, facts),
       .impact = exposed - waiting,
       .table = "ranks"});
}

Report Run(const Facts& facts, const Params&) {
  Report report = StartReport(kCommOverlap, facts);
  if (report.status == Status::kUnavailable) return report;
  const Exposed sum = AddUp(facts);
  if (sum.communication == 0) {
    MakeUnavailable(report,
                    "no rank ran a communication kernel: a job on one device, or none was "
                    "recorded");
    return report;
  }
  Table table{.key = "ranks", .title = "Communication of each device", .columns = DeviceKeys()};
  AddColumns(table,
             {TimeColumn("communication", "communication"), TimeColumn("overlapped", "overlapped"),
              TimeColumn("exposed", "exposed"), RatioColumn("overlap_ratio", "overlap"),
              RatioColumn("exposed_ratio", "exposed of span")});
  for (const DeviceFacts& device : facts.devices) {
    const Occupancy& o = device.total;
    auto row = DeviceCells(device);
    row.insert(row.end(), {o.Communication(), o.Overlapped(), o.Exposed(),
                           Ratio(o.Overlapped(), o.Communication()), Ratio(o.Exposed(), o.Span())});
    table.rows.push_back(std::move(row));
  }
  report.tables.push_back(std::move(table));
  const double hidden =
      1.0 - static_cast<double>(sum.exposed) / static_cast<double>(sum.communication);
  report.headline =
      fmt::format("{} of the communication time is hidden behind compute.", HumanRatio(hidden));
  report.metrics = {
      {"overlap_ratio", "hidden", hidden, Unit::kRatio},
      {"exposed_ratio", "exposed, of the span", Ratio(sum.exposed, sum.span), Unit::kRatio}};
  AddFinding(report, facts, sum);
  return report;
}

}  // namespace

const Analysis kCommOverlap = {
    .name = "comm_overlap",
    .title = "Communication hidden behind compute",
    .doc = kDoc,
    .needs = kRankActivityNeeds,
    .params = {},
    .run = &Run,
};

}  // namespace stepscope
