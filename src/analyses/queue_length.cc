// Reports how many activities are queued per stream, and when full queues block launch calls.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "analyses/all.h"
#include "analyses/build.h"
#include "analyses/statistics_columns.h"
#include "base/stop.h"
#include "facts/devices/device_peaks.h"
#include "facts/devices/queues.h"
#include "facts/devices/step_curve.h"
#include "report/humanize.h"

namespace stepscope {
namespace queue_length {
namespace {

constexpr std::string_view kDoc = R"md(
**Question:** How many activities are queued per stream, and do launch calls block because a queue is full?

**Definition:** An activity (kernel, memcpy, memset) is queued from its launch call's begin to its end (`mean`, `max`,
`time_at_limit`). `waiting_mean`, `waiting_max` and `waiting_at_limit` count those launched and not started, as HTA
does. Means are over time, from the stream's first launch to its last end, not over events.
`statistics` does count events: of the activities launched and not started, the number after each launch and each
start. `max_queue_length` is
the length at which launch calls block: 1024 in CUDA.

**Limitations:** Activities without a launch call in the trace do not count; `without_launch` is their number. A
graph's kernels are all queued at their one launch call.

**Interpretation:** With a mean of 5 or more, the host is ahead and the device is never starved. With a mean near 1, the
device waits for every launch. Time at the limit is harmless while the device is busy, but launch calls then take as
long as kernels.
)md";

constexpr int64_t kCudaLimit = 1024;

constexpr auto kParams = std::to_array<Parameter>({
    {"max_queue_length", Parameter::Type::kInteger, "0", Unit::kCount,
     "length at which launch calls block; 0: 1024, and unlimited on AMD devices"},
    {"points", Parameter::Type::kInteger, "200", Unit::kCount, "maximum points per chart"},
});

// Calls that began while a queue was full, by name.
struct HeldUp {
  int64_t calls = 0, time = 0;
};
using HeldUpByName = std::map<std::string_view, HeldUp>;

int64_t LevelAt(const std::vector<StepCurve::Point>& levels, int64_t time) {
  const auto after = std::ranges::upper_bound(levels, time, {}, &StepCurve::Point::time);
  return after == levels.begin() ? 0 : std::prev(after)->level;
}

void FindHeldUp(const Facts& facts, const RankActivity& rank, const StreamQueue& queue,
                const std::vector<StepCurve::Point>& levels, int64_t limit, HeldUpByName& held) {
  uint32_t previous = kNoCall;
  StopChecks checks;
  for (const uint32_t index : queue.launched) {
    checks.Turn();
    const Activity& activity = rank.activities[index];
    const auto call = rank.CallOf(activity);
    if (!call || activity.call == previous) continue;
    previous = activity.call;  // a graph's kernels share one call
    if (LevelAt(levels, call->start) < limit) continue;
    HeldUp& h = held[(*facts.names)[call->name]];
    ++h.calls;
    h.time += call->duration();
  }
}

struct Tables {
  Table streams, statistics, held_up;
};

Tables MakeTables() {
  Tables t{.streams = {.key = "streams",
                       .title = "Queue length per stream",
                       .columns = DeviceKeys(),
                       .text_rows = 12},
           .statistics = {.key = "statistics",
                          .title = "Queue length statistics",
                          .columns = DeviceKeys(),
                          .text_rows = 0},
           .held_up = {.key = "held_up",
                       .title = "Blocked launch calls",
                       .columns = DeviceKeys(),
                       .text_rows = 6}};
  AddColumns(t.streams, {KeyColumn("stream", "stream"), CountColumn("operations", "activities"),
                         CountColumn("mean", "mean"), CountColumn("max", "max"),
                         TimeColumn("time_at_limit", "time at limit"),
                         CountColumn("waiting_mean", "mean not started"),
                         CountColumn("waiting_max", "max not started"),
                         TimeColumn("waiting_at_limit", "not started, at limit"),
                         CountColumn("without_launch", "without launch")});
  AddColumns(t.statistics, {KeyColumn("stream", "stream")});
  AddColumns(t.statistics, StatisticsColumns("changes", Unit::kCount));
  AddColumns(t.held_up, {KeyColumn("stream", "stream"), KeyColumn("call", "call"),
                         CountColumn("calls", "calls"), TimeColumn("time", "time")});
  return t;
}

// What the keys of a stream's series end with.
std::string KeyEnd(const DeviceFacts& device, int64_t stream) {
  return fmt::format(".rank{}.window{}.device{}.stream{}", device.rank->rank, device.rank->window,
                     device.device, stream);
}

Series CurveOf(const DeviceFacts& device, uint32_t index, std::string_view what,
               const std::vector<StepCurve::Point>& levels, int64_t points) {
  const int64_t stream = device.rank->streams[index].stream;
  return {.key = fmt::format("{}{}", what, KeyEnd(device, stream)),
          .title = Say("Activities {what} on {device}, stream {stream}", what, SayDevice(device),
                       stream),
          .x_unit = Unit::kNanoseconds,
          .y_unit = Unit::kCount,
          .points = Thin(levels, points)};
}

class Measurement {
 public:
  Measurement(const Facts& facts, const Params& params)
      : facts_(facts),
        given_limit_(params.Integer("max_queue_length")),
        points_(params.Integer("points")) {}

  void AddStream(const DeviceFacts& device, uint32_t index, const StreamQueue& queue) {
    const int64_t stream = device.rank->streams[index].stream;
    const CurveStatistics o = AddOutstanding(device, index, queue);
    const bool any = o.max > 0;
    const CurveStatistics w = any ? AddWaiting(device, index, queue) : CurveStatistics();
    auto row = DeviceCells(device);
    row.insert(row.end(), {stream, queue.operations, When(any, o.mean), When(any, o.max),
                           When(any, o.time_at_limit), When(any, w.mean), When(any, w.max),
                           When(any, w.time_at_limit), queue.WithoutLaunch()});
    tables.streams.rows.push_back(std::move(row));
    if (!queue.launched.empty()) AddLengths(device, index, queue);
    at_limit_ += o.time_at_limit;
    if (any) Consider(device, stream, queue.operations, o);
  }

  bool any() const { return busiest_operations_ > 0; }

  Phrase Headline() const {
    Phrase text = Say("Mean queue length on the busiest stream ({stream}) is {count}.", busiest_,
                      HumanCount(busiest_mean_));
    if (at_limit_ > 0) {
      text += Say(" Queues are full for {time}; launch calls block then.",
                  HumanTime(static_cast<double>(at_limit_)));
    }
    return text;
  }

  // Curves of the stream that the headline names come first.
  std::vector<Series> TakeSeries() {
    std::ranges::stable_partition(
        series, [&](const Series& one) { return one.key.ends_with(busiest_key_); });
    return std::move(series);
  }

  Tables tables = MakeTables();
  std::vector<Series> series;

 private:
  int64_t LimitOf(const DeviceFacts& device) const {
    if (given_limit_ > 0) return given_limit_;
    return IsAmd(*device.rank, device.device) ? INT64_MAX : kCudaLimit;
  }

  CurveStatistics AddOutstanding(const DeviceFacts& device, uint32_t index,
                                 const StreamQueue& queue) {
    const auto levels = Outstanding(*device.rank, queue).Levels();
    if (levels.empty()) return {};
    const CurveStatistics statistics = Measure(levels, LimitOf(device));
    series.push_back(CurveOf(device, index, "outstanding", levels, points_));
    if (statistics.time_at_limit > 0) AddHeldUp(device, index, queue, levels);
    return statistics;
  }

  CurveStatistics AddWaiting(const DeviceFacts& device, uint32_t index, const StreamQueue& queue) {
    const auto levels = Waiting(*device.rank, queue).Levels();
    series.push_back(CurveOf(device, index, "waiting", levels, points_));
    return Measure(levels, LimitOf(device));
  }

  void AddLengths(const DeviceFacts& device, uint32_t index, const StreamQueue& queue) {
    std::vector<int64_t> lengths = WaitingAtChanges(*device.rank, queue);
    auto row = DeviceCells(device);
    row.emplace_back(device.rank->streams[index].stream);
    AddStatistics(tables.statistics, std::move(row), lengths, Unit::kCount);
  }

  void Consider(const DeviceFacts& device, int64_t stream, int64_t operations,
                const CurveStatistics& o) {
    if (std::pair(operations, o.mean) <= std::pair(busiest_operations_, busiest_mean_)) return;
    busiest_operations_ = operations;
    busiest_ = Say("{device}, stream {stream}", SayDevice(device), stream);
    busiest_key_ = KeyEnd(device, stream);
    busiest_mean_ = o.mean;
  }

  void AddHeldUp(const DeviceFacts& device, uint32_t index, const StreamQueue& queue,
                 const std::vector<StepCurve::Point>& levels) {
    HeldUpByName held;
    FindHeldUp(facts_, *device.rank, queue, levels, LimitOf(device), held);
    for (const auto& [name, h] : held) {
      auto row = DeviceCells(device);
      row.insert(row.end(),
                 {device.rank->streams[index].stream, std::string(name), h.calls, h.time});
      tables.held_up.rows.push_back(std::move(row));
    }
  }

  const Facts& facts_;
  int64_t given_limit_, points_;
  int64_t busiest_operations_ = 0, at_limit_ = 0;
  double busiest_mean_ = 0;
  Phrase busiest_;
  std::string busiest_key_;
};

Report Run(const Facts& facts, const Params& params) {
  Report report = StartReport(kQueueLength, facts);
  if (report.status == Status::kUnavailable) return report;
  if (facts.OnHost()) {
    MakeUnavailable(report, "the job computes on the host: nothing is queued");
    return report;
  }
  Measurement measurement(facts, params);
  ForEachDevice(facts, FollowQueues, [&](const DeviceFacts& device, const auto& queues) {
    for (const uint32_t s : device.rank->StreamsOf(device.device_index)) {
      if (queues[s].operations > 0) measurement.AddStream(device, s, queues[s]);
    }
  });
  if (!measurement.any()) {
    MakeUnavailable(report, WhyNothingLinked(facts));
    return report;
  }
  report.headline = measurement.Headline();
  report.tables.push_back(std::move(measurement.tables.streams));
  report.tables.push_back(std::move(measurement.tables.statistics));
  if (!measurement.tables.held_up.rows.empty()) {
    report.tables.push_back(std::move(measurement.tables.held_up));
  }
  report.series = measurement.TakeSeries();
  return report;
}

}  // namespace
}  // namespace queue_length

const Analysis kQueueLength = {
    .name = "queue_length",
    .title = "Queue length",
    .label = "Queue",
    .group = AnalysisGroup::kDevice,
    .summary = "Activities queued per stream",
    .doc = queue_length::kDoc,
    .needs = kRankActivityNeeds,
    .params = queue_length::kParams,
    .run = &queue_length::Run,
};

}  // namespace stepscope
