// Computes duration statistics of every kernel of every rank.
#include "facts/devices/kernels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/saturate.h"

namespace stepscope {
namespace {

constexpr size_t kKinds = 3;  // compute, communication, memory

Kind TableKind(Kind kind) { return IsMemory(kind) ? Kind::kMemcpy : kind; }

// Finds the statistics of a kernel in a list that grows, by name and kind, without hashing.
class KernelList {
 public:
  explicit KernelList(size_t names) : places_(names * kKinds, kNowhere) {}

  KernelStatistics& Of(StringId name, Kind kind) {
    uint32_t& place = places_[name * kKinds + static_cast<size_t>(kind)];
    if (place == kNowhere) {
      place = static_cast<uint32_t>(list_.size());
      list_.push_back({.kind = kind, .name = name});
    }
    return list_[place];
  }

  // The list; an empty one begins.
  std::vector<KernelStatistics> Take() {
    for (const KernelStatistics& k : list_) {
      places_[k.name * kKinds + static_cast<size_t>(k.kind)] = kNowhere;
    }
    return std::exchange(list_, {});
  }

 private:
  static constexpr uint32_t kNowhere = std::numeric_limits<uint32_t>::max();
  std::vector<uint32_t> places_;
  std::vector<KernelStatistics> list_;
};

// What a partial has of a kernel: of the first recording as it is, so that one alone is exact.
void AddSum(KernelStatistics& kernel, const CondensedKernel& sum) {
  const KernelStatistics other{.kind = kernel.kind,
                               .name = kernel.name,
                               .count = sum.count,
                               .sum = sum.sum,
                               .min = sum.min,
                               .max = sum.max,
                               .running_mean = sum.mean,
                               .squares = sum.squares};
  if (kernel.count == 0)
    kernel = other;
  else
    kernel.Add(other);
}

}  // namespace

void KernelStatistics::Add(int64_t duration) {
  ++count;
  sum = AddSaturated(sum, duration);
  min = std::min(min, duration);
  max = std::max(max, duration);
  const double delta = static_cast<double>(duration) - running_mean;
  running_mean += delta / static_cast<double>(count);
  squares += delta * (static_cast<double>(duration) - running_mean);
}

// Two samples' deviations join by Chan's formula.
void KernelStatistics::Add(const KernelStatistics& other) {
  const auto here = static_cast<double>(count);
  const auto there = static_cast<double>(other.count);
  const double delta = other.running_mean - running_mean;
  squares += other.squares + delta * delta * here * there / (here + there);
  running_mean += delta * there / (here + there);
  count += other.count;
  sum = AddSaturated(sum, other.sum);
  min = std::min(min, other.min);
  max = std::max(max, other.max);
}

double KernelStatistics::Deviation() const {
  return count < 2 ? 0 : std::sqrt(squares / static_cast<double>(count - 1));
}

std::vector<RankKernels> MeasureKernels(std::span<const RankActivity> ranks, size_t names) {
  std::vector<RankKernels> measured;
  KernelList list(names);
  for (size_t r = 0; r < ranks.size(); ++r) {
    if (ranks[r].condensed) {
      for (const CondensedKernel& sum : ranks[r].condensed->kernels)
        if (sum.device < 0) AddSum(list.Of(sum.name, sum.kind), sum);
    } else {
      for (const Activity& activity : ranks[r].activities)
        list.Of(activity.name, TableKind(activity.kind)).Add(activity.duration());
    }
    if (r + 1 < ranks.size() && ranks[r + 1].rank == ranks[r].rank) continue;  // another window
    RankKernels rank{.rank = ranks[r].rank, .kernels = list.Take()};
    if (!rank.kernels.empty()) measured.push_back(std::move(rank));
  }
  return measured;
}

std::vector<RankKernels> MeasureKernelsOfDevices(std::span<const RankActivity> ranks) {
  std::map<std::pair<int64_t, int64_t>, std::map<std::pair<StringId, Kind>, KernelStatistics>> all;
  const auto statistics = [&](int64_t rank, int64_t device, StringId name,
                              Kind kind) -> KernelStatistics& {
    return all[{rank, device}]
        .try_emplace({name, kind}, KernelStatistics{.kind = kind, .name = name})
        .first->second;
  };
  for (const RankActivity& rank : ranks) {
    const bool several = rank.devices.size() > 1;
    if (rank.condensed) {
      for (const CondensedKernel& sum : rank.condensed->kernels)
        if ((sum.device >= 0) == several)
          AddSum(statistics(rank.rank, sum.device, sum.name, sum.kind), sum);
      continue;
    }
    for (const Activity& activity : rank.activities) {
      const int64_t device = several ? rank.streams[activity.stream].device : int64_t{-1};
      statistics(rank.rank, device, activity.name, TableKind(activity.kind))
          .Add(activity.duration());
    }
  }
  std::vector<RankKernels> measured;
  for (const auto& [of, kernels] : all) {
    RankKernels& device = measured.emplace_back(RankKernels{.rank = of.first, .device = of.second});
    for (const auto& [key, kernel] : kernels) device.kernels.push_back(kernel);
  }
  return measured;
}

std::vector<KernelStatistics> MergeKernels(std::span<const RankKernels> ranks, size_t names) {
  KernelList list(names);
  for (const RankKernels& rank : ranks) {
    for (const KernelStatistics& kernel : rank.kernels)
      list.Of(kernel.name, kernel.kind).Add(kernel);
  }
  return list.Take();
}

std::string_view KernelKindName(Kind kind) { return IsMemory(kind) ? "memory" : KindName(kind); }

}  // namespace stepscope
