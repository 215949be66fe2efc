// Reports bytes and bandwidth of memcpy and memset by direction.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/statistics_columns.h"
#include "base/saturate.h"
#include "base/time_units.h"
#include "facts/devices/copy_rates.h"
#include "facts/devices/step_curve.h"
#include "report/humanize.h"
#include "report/kinds.h"

namespace stepscope {
namespace memory_bandwidth {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How many bytes are copied between which memories, and at what bandwidth?

**Definition:** Per device and direction (HtoD, DtoH, DtoD, PtoP, memset): the bytes, the time in which at least one such
copy runs (`busy`), and the bandwidth of all concurrent copies, as its mean over `busy` and its maximum. A copy's
bandwidth is the profiler's, or bytes / duration where it gives none. `statistics` is of the bandwidth of all concurrent
copies after each moment at which it changes, without weight by time, where it is above 0.

**Limitations:** Copies made by kernels do not count. A copy without bytes and bandwidth counts in `copies` and
`busy` only; `without_size` is the number of such copies. Concurrent copies share a link, which slows each of them.

**Interpretation:** HtoD far below the link (PCIe 4 x16: 25 GB/s, PCIe 5 x16: 50 GB/s) indicates pageable memory
(use pin_memory=True) or many small copies. The mean size is bytes / copies.
)md";

constexpr auto kParams = std::to_array<Parameter>({
    {"points", Parameter::Type::kInteger, "200", Unit::kCount, "maximum points per chart"},
});

Table KindsTable() {
  Table table{
      .key = "kinds", .title = "Copies by direction", .columns = DeviceKeys(), .text_rows = 12};
  AddColumns(table, {KeyColumn("kind", "direction"),
                     CountColumn("copies", "copies"),
                     {"bytes", "bytes", Unit::kBytes},
                     TimeColumn("busy", "busy"),
                     {"mean", "mean", Unit::kBytesPerSecond},
                     {"max", "max", Unit::kBytesPerSecond},
                     CountColumn("without_size", "without size")});
  SetKinds(table, {{"mean", ColumnKind::kMemory}});
  return table;
}

Table BandwidthStatisticsTable() {
  Table table{.key = "statistics",
              .title = "Bandwidth statistics",
              .columns = DeviceKeys(),
              .text_rows = 0};
  AddColumns(table, {KeyColumn("kind", "direction")});
  AddColumns(table, StatisticsColumns("changes", Unit::kBytesPerSecond));
  return table;
}

void AddLevels(Table& table, const DeviceFacts& device, const std::string& kind,
               const std::vector<StepCurve::Point>& rate) {
  std::vector<int64_t> levels;
  for (const StepCurve::Point& point : rate) {
    if (point.level > 0) levels.push_back(point.level);
  }
  if (levels.empty()) return;
  auto row = DeviceCells(device);
  row.emplace_back(kind);
  AddStatistics(table, std::move(row), levels, Unit::kBytesPerSecond);
}

struct Tables {
  Table kinds = KindsTable(), statistics = BandwidthStatisticsTable();
};

void AddKind(Report& report, Tables& tables, const DeviceFacts& device, CopyPath path,
             CopyRates& copies, int64_t points) {
  const auto rate = copies.rate.Levels();
  const CurveStatistics r = Measure(rate, 1);
  const CurveStatistics running = Measure(copies.running.Levels(), 1);
  const auto busy = static_cast<double>(running.time_above_zero);
  // Over all of busy: copies without a rate took time too.
  const double moved = r.mean_above_zero * static_cast<double>(r.time_above_zero);
  const bool known = copies.without_size < copies.count;
  const std::string kind(CopyPathName(path));
  auto row = DeviceCells(device);
  row.insert(row.end(), {kind, copies.count, When(known, copies.bytes), running.time_above_zero,
                         When(!rate.empty() && busy > 0, moved / std::max(busy, 1.0)),
                         When(!rate.empty(), static_cast<double>(r.max)), copies.without_size});
  tables.kinds.rows.push_back(std::move(row));
  AddLevels(tables.statistics, device, kind, rate);
  if (rate.empty()) return;
  report.series.push_back(
      {.key = fmt::format("{}.rank{}.window{}.device{}", kind, device.rank->rank,
                          device.rank->window, device.device),
       .title = Say("{direction} of {device}", kind, SayDevice(device)),
       .x_unit = Unit::kNanoseconds,
       .y_unit = Unit::kBytesPerSecond,
       .points = Thin(rate, points)});
}

// Copies in one direction, over all devices.
struct Total {
  int64_t bytes = 0, busy = 0;
};

Phrase Headline(const std::array<Total, kCopyPaths>& totals) {
  size_t most = 0;
  for (size_t p = 1; p < kCopyPaths; ++p) {
    if (totals[p].busy > totals[most].busy) most = p;
  }
  const Total& t = totals[most];
  const std::string kind(CopyPathName(static_cast<CopyPath>(most)));
  if (t.bytes == 0 || t.busy == 0) {
    return Say("{direction} has the most copy time ({time}).", kind,
               HumanTime(static_cast<double>(t.busy)));
  }
  return Say("{direction} has the most copy time: {bytes} in {time}, {rate}/s.", kind,
             HumanBytes(static_cast<double>(t.bytes)), HumanTime(static_cast<double>(t.busy)),
             HumanBytes(PerSecond(static_cast<double>(t.bytes), static_cast<double>(t.busy))));
}

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kMemoryBandwidth, facts);
  if (report.status == Status::kUnavailable) return report;
  const int64_t points = params.Integer("points");
  Tables tables;
  const ColumnOf busy(tables.kinds, "busy");
  std::array<Total, kCopyPaths> totals{};
  ForEachDevice(facts, FollowCopies, [&](const DeviceFacts& device, auto& devices) {
    for (size_t p = 0; p < kCopyPaths; ++p) {
      CopyRates& copies = devices[device.device_index][p];
      if (copies.count == 0) continue;
      totals[p].bytes = AddSaturated(totals[p].bytes, copies.bytes);
      AddKind(report, tables, device, static_cast<CopyPath>(p), copies, points);
      totals[p].busy = AddSaturated(totals[p].busy, busy.Int(tables.kinds.rows.back()));
    }
  });
  if (tables.kinds.rows.empty()) {
    MakeUnavailable(report, "no memcpy or memset was recorded");
    return report;
  }
  report.headline = Headline(totals);
  report.tables.push_back(std::move(tables.kinds));
  report.tables.push_back(std::move(tables.statistics));
  return report;
}

}  // namespace
}  // namespace memory_bandwidth

const Analysis kMemoryBandwidth = {
    .name = "memory_bandwidth",
    .title = "Copy bandwidth",
    .label = "Copies",
    .group = AnalysisGroup::kDevice,
    .summary = "Bytes and bandwidth by copy direction",
    .doc = memory_bandwidth::kDoc,
    .needs = kRankActivityNeeds,
    .params = memory_bandwidth::kParams,
    .run = &memory_bandwidth::Run,
};

}  // namespace stepscope
