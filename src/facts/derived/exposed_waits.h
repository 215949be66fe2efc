// Measures exposed wait time in collectives.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/activity/compute_cover.h"
#include "facts/facts.h"

namespace stepscope {

// Keeps what it finds out about each recording, so use one for many parts. `facts` must outlive it.
class ExposedWaits {
 public:
  explicit ExposedWaits(const Facts& facts) : facts_(facts), covers_(facts.ranks.size()) {}

  // ns during which a device waits in any of the parts and computes nothing, of all devices.
  // REQUIRES: their waits are known.
  int64_t Of(std::span<const CollectivePart* const> parts) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Interval>> waits;  // by recording, device
    for (const CollectivePart* part : parts) {
      const RankActivity& rank = facts_.ranks[part->recording];
      const Activity& activity = rank.activities[part->activity];
      waits[{part->recording, rank.streams[activity.stream].device_index}].push_back(
          {part->start, part->start + part->wait});
    }
    int64_t sum = 0;
    for (auto& [device, of_device] : waits) {
      const ComputeCover& cover = CoverOf(device.first, device.second);
      for (const Interval& wait : UnionOf(std::move(of_device)))
        sum = AddSaturated(sum, wait.end - wait.start - cover.Within(wait.start, wait.end));
    }
    return sum;
  }

  // Of all parts of all ranks.
  int64_t Total() {
    std::vector<const CollectivePart*> parts;
    for (const CollectiveMatch& match : facts_.collectives.matches) {
      if (match.last == kNobody) continue;
      for (const CollectivePart& part : facts_.collectives.Parts(match)) {
        if (part.wait > 0) parts.push_back(&part);
      }
    }
    return Of(parts);
  }

 private:
  const ComputeCover& CoverOf(uint32_t recording, uint32_t device_index) {
    auto& devices = covers_[recording];
    if (devices.empty()) devices = ComputeCover::Of(facts_.ranks[recording]);
    return devices[device_index];
  }

  const Facts& facts_;
  std::vector<std::vector<ComputeCover>> covers_;
};

}  // namespace stepscope
