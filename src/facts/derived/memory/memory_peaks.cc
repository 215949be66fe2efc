// Examines each allocator's peak, and the ends of its steps.
#include "facts/derived/memory/memory_peaks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/saturate.h"

namespace stepscope {
namespace {

int64_t CapacityOf(const MemoryPeak& p, int64_t given) {
  if (p.memory.device >= 0 && given > 0) return given;
  const MemoryDetail* detail =
      p.rank->host->DetailOf(p.rank->host->memory[p.memory.AtPeak().event]);
  if (detail != nullptr) {
    return detail->available < 0 ? -1 : AddSaturated(p.peak, detail->available);
  }
  if (p.memory.device < 0) return -1;
  const DeviceProperties* properties = p.rank->PropertiesOf(p.memory.device);
  return properties == nullptr ? -1 : properties->memory_bytes;
}

MemoryGrowth GrowthOf(const MemoryPeak& p) {
  MemoryGrowth growth;
  for (size_t s = p.steps.size(); s-- > 0;) {
    const MemoryStep& step = p.steps[s];
    const int64_t before = s == 0 ? step.begin : p.steps[s - 1].end;
    const bool keeps = p.memory.blocks.empty() || step.kept > 0;
    if (step.end <= before || !keeps) break;
    const int64_t added = SubtractSaturated(step.end, before);
    growth.each = growth.steps == 0 ? added : std::min(growth.each, added);
    ++growth.steps;
  }
  return growth;
}

MemoryPeak PeakOf(const Facts& facts, const RankActivity& rank, const MemoryOwners& owners,
                  AllocatorMemory memory, int64_t capacity) {
  MemoryPeak p{.rank = &rank, .memory = std::move(memory)};
  p.steps = FollowSteps(rank, p.memory);
  p.at_peak = HoldingsAtPeak(facts, rank, owners, p.memory);
  p.never_freed = NeverFreed(facts, rank, owners, p.memory);
  p.peak = p.memory.AtPeak().level;
  p.time = rank.host->memory[p.memory.AtPeak().event].time;
  p.step = rank.StepAt(p.time);
  p.capacity = CapacityOf(p, capacity);
  const auto at = std::ranges::find(p.steps, p.step, &MemoryStep::step);
  if (at != p.steps.end() && p.memory.has_totals) p.persistent = at->lowest;
  p.operators = AllocationsByOperator(facts, rank, owners, p.memory);
  p.growth = GrowthOf(p);
  return p;
}

}  // namespace

double MemoryPeak::Used() const {
  return KnowsHeadroom() ? static_cast<double>(peak) / static_cast<double>(capacity) : -1;
}

std::optional<int64_t> MemoryPeak::Headroom() const {
  if (!KnowsHeadroom() || peak > capacity) return std::nullopt;
  return capacity - peak;
}

std::optional<double> MemoryPeak::BatchFactor(double of_capacity) const {
  if (!KnowsHeadroom() || persistent < 0 || persistent >= peak) return std::nullopt;
  const double room = of_capacity * static_cast<double>(capacity) - static_cast<double>(persistent);
  if (room <= 0) return std::nullopt;
  return room / static_cast<double>(peak - persistent);
}

std::vector<MemoryPeak> FindMemoryPeaks(const Facts& facts, int64_t capacity) {
  std::vector<MemoryPeak> peaks;
  for (const RankActivity& rank : facts.ranks) {
    const MemoryOwners owners(*facts.names, *rank.host);
    for (AllocatorMemory& memory : FollowAllocators(facts, rank)) {
      peaks.push_back(PeakOf(facts, rank, owners, std::move(memory), capacity));
    }
  }
  std::ranges::stable_sort(peaks, std::ranges::greater{}, [](const MemoryPeak& p) {
    return std::tuple(p.memory.device >= 0, p.Used(), p.peak);
  });
  return peaks;
}

}  // namespace stepscope
