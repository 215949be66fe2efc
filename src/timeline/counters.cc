// Converts curves of the facts to counters.
#include "timeline/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "facts/derived/memory/memory_blocks.h"
#include "facts/derived/memory/memory_use.h"
#include "facts/devices/copy_rates.h"
#include "facts/devices/queues.h"
#include "facts/facts.h"

namespace stepscope {
namespace {

using Counters = std::vector<RecordedCounter>;

std::string DeviceGroup(int64_t device) { return fmt::format("GPU {}", device); }

std::vector<CounterPoint> PointsOf(const std::vector<StepCurve::Point>& levels) {
  std::vector<CounterPoint> points;
  points.reserve(levels.size());
  for (const StepCurve::Point& point : levels) {
    points.push_back({point.time, static_cast<double>(point.level)});
  }
  return points;
}

void AddCounter(Counters& counters, RecordedCounter counter) {
  if (!counter.points.empty()) counters.push_back(std::move(counter));
}

// Processors run what they are told at once: they have no queue.
void AddQueues(const RankActivity& rank, Counters& counters) {
  if (rank.on_host) return;
  const auto queues = FollowQueues(rank);
  for (size_t s = 0; s < queues.size(); ++s) {
    AddCounter(counters, {.group = DeviceGroup(rank.streams[s].device),
                          .name = fmt::format("queue length of stream {}", rank.streams[s].stream),
                          .unit = std::string(UnitName(Unit::kCount)),
                          .device = rank.streams[s].device,
                          .points = PointsOf(Outstanding(rank, queues[s]).Levels())});
  }
}

void AddCopies(const RankActivity& rank, Counters& counters) {
  auto copies = FollowCopies(rank);
  for (size_t d = 0; d < copies.size(); ++d) {
    for (size_t p = 0; p < kCopyPaths; ++p) {
      AddCounter(counters,
                 {.group = DeviceGroup(rank.devices[d]),
                  .name = fmt::format("bandwidth of {}", CopyPathName(static_cast<CopyPath>(p))),
                  .unit = std::string(UnitName(Unit::kBytesPerSecond)),
                  .device = rank.devices[d],
                  .points = PointsOf(copies[d][p].rate.Levels())});
    }
  }
}

void AddAllocators(const Facts& facts, const RankActivity& rank, Counters& counters) {
  for (const AllocatorMemory& memory : FollowAllocators(facts, rank)) {
    RecordedCounter counter{.group = memory.device < 0 ? "CPU" : DeviceGroup(memory.device),
                            .name = memory.has_totals ? "memory in use" : "memory since the start",
                            .unit = std::string(UnitName(Unit::kBytes)),
                            .device = memory.device};
    if (memory.allocator != kNoString) {
      counter.name += fmt::format(" ({})", (*facts.names)[memory.allocator]);
    }
    for (const MemoryMoment& moment : memory.moments) {
      counter.points.push_back(
          {rank.host->memory[moment.event].time, static_cast<double>(moment.level)});
    }
    AddCounter(counters, std::move(counter));
  }
}

void AddMemoryUse(const Facts& facts, const RankActivity& rank, Counters& counters) {
  for (const MemoryTimeline& timeline : rank.host->memory_timelines) {
    const MemoryUseOverTime use = FollowMemoryUse(facts, rank, timeline);
    const auto add = [&](std::string name, const std::vector<StepCurve::Point>& curve) {
      AddCounter(counters, {.group = "memory by use",
                            .name = std::move(name),
                            .unit = std::string(UnitName(Unit::kBytes)),
                            .points = PointsOf(curve)});
    };
    add("all memory", use.total);
    for (size_t u = 0; u < kMemoryUses; ++u) {
      add(std::string(MemoryUseName(static_cast<MemoryUse>(u))), use.curves[u]);
    }
  }
}

// A range's value holds while it lasts; between ranges there is none, which is drawn as 0.
void AddHardwareCounters(const StringTable& names, const RankActivity& rank, Counters& counters) {
  std::map<StringId, std::vector<CounterPoint>> curves;
  for (const CounterRange& range : rank.counters) {
    for (const auto& [name, value] : range.counters) {
      auto& curve = curves[name];
      const bool follows = !curve.empty() && curve.back().time >= range.start;
      if (follows) curve.pop_back();
      curve.push_back({range.start, value});
      curve.push_back({std::max(range.end, range.start), 0});
    }
  }
  for (auto& [name, curve] : curves) {
    AddCounter(counters, {.group = "hardware counters",
                          .name = std::string(names[name]),
                          .points = std::move(curve)});
  }
}

}  // namespace

std::vector<RecordedCounter> FollowCounters(const StringTable& names, const RankActivity& rank) {
  Facts facts;  // all steps count
  facts.names = &names;
  facts.ranks = std::span(&rank, 1);
  Counters counters;
  AddQueues(rank, counters);
  AddCopies(rank, counters);
  AddAllocators(facts, rank, counters);
  AddMemoryUse(facts, rank, counters);
  AddHardwareCounters(names, rank, counters);
  for (RecordedCounter& counter : counters) {
    std::ranges::stable_sort(counter.points, {}, &CounterPoint::time);
  }
  return counters;
}

}  // namespace stepscope
