// Columns and sentences that reports share.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "analyses/analysis.h"
#include "report/columns.h"

namespace stepscope {

// The columns that say which device of which recording a row is about: rank, window, device.
std::vector<Column> DeviceKeys();
std::vector<Cell> DeviceCells(const DeviceFacts& device);

// A column of time for each step category: "device_compute", ...
void AddCategoryColumns(Table& table);

// A report with its name and title filled in; unavailable or partial where ranks lack work.
Report StartReport(const Analysis& analysis, const Facts& facts);

// What to try, in the words of the framework that ran the job.
struct Advice {
  std::string_view pytorch, tensorflow, jax;
};
std::string Say(const Advice& advice, const Facts& facts);

// What to try where devices wait for the next batch.
inline constexpr Advice kLoadAhead{
    "load ahead: more DataLoader workers (num_workers), a larger prefetch_factor, "
    "persistent_workers=True, pin_memory=True; less work per sample",
    "load ahead: prefetch(tf.data.AUTOTUNE) last, num_parallel_calls, cache(); less work per "
    "sample; input_pipeline says which stage is slow",
    "load ahead: prefetch batches to the device in a thread of its own, more workers of the "
    "loader; less work per sample"};

// How to ask the devices for their clocks and temperature.
std::string_view CommandForClocks(const Facts& facts);

// Turns a report into one that cannot answer. `why` is a sentence without a final stop.
void MakeUnavailable(Report& report, std::string why);

// Why nothing can be said about launches.
inline constexpr std::string_view kNothingLinked =
    "no work could be joined with the call that launched it: record with ProfilerActivity.CPU too, "
    "which has the runtime's calls";

// "rank 3", or "rank 3 device 1" where a rank has several devices.
std::string SayDevice(const DeviceFacts& device);

// Calls visit(device, measured) for every device; `measured` is measure(recording), made once for
// all devices of the recording.
template <class Measure, class Visit>
void ForEachDevice(const Facts& facts, const Measure& measure, const Visit& visit) {
  std::invoke_result_t<const Measure&, const RankActivity&> measured;
  const RankActivity* of = nullptr;
  for (const DeviceFacts& device : facts.devices) {
    if (device.rank != of) measured = measure(*device.rank);
    of = device.rank;
    visit(device, measured);
  }
}

}  // namespace stepscope
