// Tells statistics of the gaps of each stream, by cause.
#include "analyses/idle_time_intervals.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "analyses/build.h"
#include "analyses/statistics_columns.h"

namespace stepscope::idle_time {

Table IntervalsTable() {
  Table table{.key = "intervals",
              .title = "Gap durations by cause",
              .columns = DeviceKeys(),
              .text_rows = 0};
  AddColumns(table, {KeyColumn("stream", "stream"), Words(KeyColumn("category", "cause"))});
  AddColumns(table, StatisticsColumns("gaps", Unit::kNanoseconds));
  return table;
}

void AddIntervals(Table& table, const DeviceFacts& device, int64_t stream, StreamGaps& gaps) {
  constexpr std::array<std::string_view, kGapCauses> kNames = {"host_wait", "kernel_wait", "other"};
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    if (gaps[cause].empty()) continue;
    auto row = DeviceCells(device);
    row.insert(row.end(), {stream, std::string(kNames[cause])});
    AddStatistics(table, std::move(row), gaps[cause], Unit::kNanoseconds);
  }
}

}  // namespace stepscope::idle_time
