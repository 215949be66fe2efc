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
#include "facts/derived/collectives/absent_ranks.h"
#include "facts/facts.h"

namespace stepscope {

// A stretch of a collective.
struct PartWait {
  const CollectivePart* part = nullptr;
  Interval time;  // on the rank's own clock
};

// Until the last rank arrived. REQUIRES: that is known.
inline PartWait WaitOf(const CollectivePart& part) {
  return {&part, {part.start, part.start + part.wait}};
}

// Keeps what it finds out about each recording, so use one for many parts. `facts` must outlive it.
class ExposedWaits {
 public:
  explicit ExposedWaits(const Facts& facts) : facts_(facts), covers_(facts.ranks.size()) {}

  // ns during which a device waits in any of the parts and computes nothing, of all devices.
  int64_t Of(std::span<const PartWait> parts) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Interval>> waits;  // by recording, device
    for (const auto& [part, time] : parts) {
      const RankActivity& rank = facts_.ranks[part->recording];
      const Activity& activity = rank.activities[part->activity];
      waits[{part->recording, rank.streams[activity.stream].device_index}].push_back(time);
    }
    int64_t sum = 0;
    for (auto& [device, of_device] : waits) {
      const ComputeCover& cover = CoverOf(device.first, device.second);
      for (const Interval& wait : UnionOf(std::move(of_device)))
        sum = AddSaturated(sum, wait.end - wait.start - cover.Within(wait.start, wait.end));
    }
    return sum;
  }

  int64_t Total() { return Of(All()); }

  // All parts of all ranks, for recorded ranks and for those without a trace.
  std::vector<PartWait> All() {
    std::vector<PartWait> waits;
    const CollectiveFacts& c = facts_.collectives;
    for (const CollectiveMatch& match : c.matches) {
      if (match.last == kNobody) continue;
      for (const CollectivePart& part : c.Parts(match)) {
        if (part.wait > 0) waits.push_back(WaitOf(part));
      }
    }
    for (const AbsentWait& wait : AbsentWaitsOf(facts_).of_absent) Add(wait, waits);
    return waits;
  }

  // For ranks without a trace: what would not be exposed if these collectives ended so much
  // earlier. Compute that hides the begin of a wait would hide the transfer then.
  int64_t Of(const AbsentWait& wait) {
    std::vector<PartWait> ends;
    const AbsentWaits& all = AbsentWaitsOf(facts_);
    for (const uint32_t m : wait.matches) {
      for (const CollectivePart& part : facts_.collectives.Parts(facts_.collectives.matches[m]))
        ends.push_back({&part, {part.end - all.by_match[m], part.end}});
    }
    return Of(ends);
  }

 private:
  void Add(const AbsentWait& wait, std::vector<PartWait>& waits) {
    const CollectiveFacts& c = facts_.collectives;
    const AbsentWaits& all = AbsentWaitsOf(facts_);
    for (const uint32_t m : wait.matches) {
      const int64_t together = TogetherIn(c, c.matches[m]);
      for (const CollectivePart& part : c.Parts(c.matches[m])) {
        const int64_t since = part.end - together;
        waits.push_back({&part, {since, since + all.by_match[m]}});
      }
    }
  }

  const ComputeCover& CoverOf(uint32_t recording, uint32_t device_index) {
    auto& devices = covers_[recording];
    if (devices.empty()) devices = ComputeCover::Of(facts_.ranks[recording]);
    return devices[device_index];
  }

  const Facts& facts_;
  std::vector<std::vector<ComputeCover>> covers_;
};

}  // namespace stepscope
