// Lists each activity with its launch call, and sums calls.
#include "analyses/launch_stats_launches.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/devices/kernels.h"

namespace stepscope::launch_stats {

Result<void> CheckLaunches(std::string_view text) {
  if (text == "true" || text == "false") return {};
  return std::unexpected(Error{"launches must be true or false", {}, {}});
}

Table LaunchesTable(const Facts& facts) {
  Table table{.key = "launches", .title = "Launches", .columns = DeviceKeys(), .text_rows = 0};
  AddColumns(table, {KeyColumn("stream", "stream"), KeyColumn("launch", "launch"),
                     ValueColumn("correlation", "correlation"), ValueColumn("call", "call"),
                     ValueColumn("activity", "activity"), ValueColumn("kind", "kind"),
                     TimeColumn("call_time", "call"), TimeColumn("gpu_time", "device time"),
                     TimeColumn("delay", "launch delay")});
  StopChecks checks;
  const auto by_device = [](const RankActivity& rank) { return rank.ActivitiesByDevice(); };
  ForEachDevice(facts, by_device, [&](const DeviceFacts& device, const auto& activities) {
    const RankActivity& rank = *device.rank;
    int64_t number = 0;
    for (const uint32_t index : activities[device.device_index]) {
      checks.Turn();
      const Activity& activity = rank.activities[index];
      const Stream& stream = rank.streams[activity.stream];
      const auto call = rank.CallOf(activity);
      if (!call) continue;
      auto row = DeviceCells(device);
      row.insert(row.end(),
                 {stream.stream, number++, call->correlation,
                  std::string((*facts.names)[call->name]), std::string(facts.Name(activity)),
                  std::string(KernelKindName(activity.kind)), call->duration(), activity.duration(),
                  std::max<int64_t>(SubtractSaturated(activity.start, call->end), 0)});
      table.rows.push_back(std::move(row));
    }
  });
  return table;
}

Table RuntimeCallsTable(const Facts& facts) {
  std::vector<KernelStatistics> calls(facts.names->size());
  StopChecks checks;
  for (const RankActivity& rank : facts.ranks) {
    for (const Call& call : rank.host->calls) {
      checks.Turn();
      if (facts.Counts(rank, call.start)) calls[call.name].Add(call.duration());
    }
  }
  Table table{
      .key = "runtime_calls",
      .title = "Runtime calls",
      .columns = {KeyColumn("call", "call"), CountColumn("count", "count"),
                  TimeColumn("sum", "sum"), TimeColumn("mean", "mean"), TimeColumn("max", "max")},
      .text_rows = 0};
  for (size_t name = 0; name < calls.size(); ++name) {
    const KernelStatistics& times = calls[name];
    if (times.count == 0) continue;
    table.rows.push_back({std::string((*facts.names)[static_cast<StringId>(name)]), times.count,
                          times.sum, times.sum / times.count, times.max});
  }
  const ColumnOf call(table, "call"), time(table, "sum");
  std::ranges::sort(table.rows, [&](const auto& x, const auto& y) {
    if (time(x) != time(y)) return time(x) > time(y);
    return call(x) < call(y);
  });
  return table;
}

}  // namespace stepscope::launch_stats
