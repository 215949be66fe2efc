// How fast copies and sets move bytes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyses/all.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/step_curve.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

constexpr std::string_view kDoc = R"md(
**Answers:** how many bytes are copied between which memories, and how fast?

**Counts:** per device and kind of copy (HtoD, DtoH, DtoD, PtoP, memset), the bytes, the time in which at
least one such copy runs (`busy`), and the bandwidth of all that run at once: its mean over `busy` and
its maximum. A copy's bandwidth is the profiler's, or bytes / duration where it gives none.

**Cannot see:** copies made by kernels. A copy without bytes and without a bandwidth counts in `copies` and
`busy` alone; `without_size` says how many there are. Copies that overlap share a link, and
each is the slower for it.

**Read it so:** HtoD far below the link (PCIe 4 x16: 25 GB/s, PCIe 5: 50 GB/s) means pageable memory
(pin_memory=True) or many small copies; the mean size is bytes / copies.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"points", Parameter::Type::kInteger, "200", Unit::kCount,
     "at most so many points of each curve"},
});

constexpr size_t kPaths = 6;

// All copies of one kind on one device.
struct Copies {
  int64_t count = 0, bytes = 0, without_size = 0;
  StepCurve rate;     // bytes per second
  StepCurve running;  // copies at once
};

// Bytes per second, or -1 if nothing tells.
double RateOf(const Copy& copy, int64_t duration) {
  if (copy.bandwidth >= 0) return copy.bandwidth;
  if (copy.bytes < 0 || duration <= 0) return -1;
  return static_cast<double>(copy.bytes) / static_cast<double>(duration) * 1e9;
}

void AddCopy(Copies& copies, const Work& work, const Copy& copy) {
  constexpr double kFastest = 1e15;  // bytes per second; what is above is no measurement
  ++copies.count;
  copies.bytes = AddSaturated(copies.bytes, std::max<int64_t>(copy.bytes, 0));
  copies.running.Add(work.start, work.end);
  const double rate = RateOf(copy, work.duration());
  if (rate >= 0 && rate <= kFastest) {
    copies.rate.Add(work.start, work.end, std::llround(rate));
  }
  if (copy.bytes < 0) ++copies.without_size;
}

using ByPath = std::array<Copies, kPaths>;

std::vector<ByPath> CollectCopies(const RankWork& rank) {
  std::vector<ByPath> devices(rank.devices.size());
  for (const Work& work : rank.work) {
    if (!IsMemory(work.kind) || work.detail == kNoDetail) continue;
    const Copy& copy = rank.copies[static_cast<size_t>(work.detail)];
    AddCopy(devices[rank.streams[work.stream].device_index][static_cast<size_t>(copy.path)], work,
            copy);
  }
  return devices;
}

Table KindsTable() {
  Table table{.key = "kinds",
              .title = "Copies of each device, by kind",
              .columns = DeviceKeys(),
              .text_rows = 12};
  AddColumns(table, {KeyColumn("kind", "kind"),
                     CountColumn("copies", "copies"),
                     {"bytes", "bytes", Unit::kBytes},
                     TimeColumn("busy", "busy"),
                     {"mean", "mean", Unit::kBytesPerSecond},
                     {"max", "max", Unit::kBytesPerSecond},
                     CountColumn("without_size", "no size")});
  return table;
}

void AddKind(Report& report, Table& table, const DeviceFacts& device, CopyPath path, Copies& copies,
             int64_t points) {
  const auto rate = copies.rate.Levels();
  const CurveStatistics r = Measure(rate, 1);
  const CurveStatistics running = Measure(copies.running.Levels(), 1);
  const auto busy = static_cast<double>(running.time_above_zero);
  // Over the whole busy time: what has no rate of its own still took it.
  const double moved = r.mean_above_zero * static_cast<double>(r.time_above_zero);
  const bool known = copies.without_size < copies.count;
  const std::string kind(CopyPathName(path));
  auto row = DeviceCells(device);
  row.insert(row.end(), {kind, copies.count, When(known, copies.bytes), running.time_above_zero,
                         When(!rate.empty() && busy > 0, moved / std::max(busy, 1.0)),
                         When(!rate.empty(), static_cast<double>(r.max)), copies.without_size});
  table.rows.push_back(std::move(row));
  if (rate.empty()) return;
  report.series.push_back(
      {.key = fmt::format("{}.rank{}.window{}.device{}", kind, device.rank->rank,
                          device.rank->window, device.device),
       .title = fmt::format("{} of {}", kind, SayDevice(device)),
       .x_unit = Unit::kNanoseconds,
       .y_unit = Unit::kBytesPerSecond,
       .points = Thin(rate, points)});
}

// Copies of a kind, over all devices.
struct Total {
  int64_t bytes = 0, busy = 0;
};

std::string Headline(const std::array<Total, kPaths>& totals) {
  size_t most = 0;
  for (size_t p = 1; p < kPaths; ++p) {
    if (totals[p].busy > totals[most].busy) most = p;
  }
  const Total& t = totals[most];
  const std::string kind(CopyPathName(static_cast<CopyPath>(most)));
  if (t.bytes == 0 || t.busy == 0) {
    return fmt::format("{} takes most of the copying time ({}).", kind,
                       HumanTime(static_cast<double>(t.busy)));
  }
  return fmt::format("{} takes most of the copying time: {} in {}, {}/s.", kind,
                     HumanBytes(static_cast<double>(t.bytes)),
                     HumanTime(static_cast<double>(t.busy)),
                     HumanBytes(static_cast<double>(t.bytes) / static_cast<double>(t.busy) * 1e9));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kMemoryBandwidth, facts);
  if (report.status == Status::kUnavailable) return report;
  const int64_t points = params.Integer("points");
  Table table = KindsTable();
  std::array<Total, kPaths> totals{};
  std::vector<ByPath> devices;
  const RankWork* measured = nullptr;
  for (const DeviceFacts& device : facts.devices) {
    if (device.rank != measured) devices = CollectCopies(*device.rank);
    measured = device.rank;
    for (size_t p = 0; p < kPaths; ++p) {
      Copies& copies = devices[device.device_index][p];
      if (copies.count == 0) continue;
      totals[p].bytes = AddSaturated(totals[p].bytes, copies.bytes);
      AddKind(report, table, device, static_cast<CopyPath>(p), copies, points);
      totals[p].busy = AddSaturated(totals[p].busy, std::get<int64_t>(table.rows.back()[6]));
    }
  }
  if (table.rows.empty()) {
    MakeUnavailable(report, "no copy and no memory set was recorded");
    return report;
  }
  report.headline = Headline(totals);
  report.tables.push_back(std::move(table));
  return report;
}

}  // namespace

const Analysis kMemoryBandwidth = {
    .name = "memory_bandwidth",
    .title = "Bandwidth of copies",
    .doc = kDoc,
    .needs = kRankWorkNeeds,
    .params = kParams,
    .run = &Run,
};

}  // namespace stepscope
