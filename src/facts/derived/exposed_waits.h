// Measures exposed wait time in collectives.
#pragma once

#include <cstdint>
#include <vector>

#include "base/saturate.h"
#include "facts/activity/compute_cover.h"
#include "facts/facts.h"

namespace stepscope {

// Keeps what it finds out about each recording, so use one for many parts. `facts` must outlive it.
class ExposedWaits {
 public:
  explicit ExposedWaits(const Facts& facts) : facts_(facts), covers_(facts.ranks.size()) {}

  // ns of the part's waiting. REQUIRES: its wait is known.
  int64_t Of(const CollectivePart& part) {
    const RankActivity& rank = facts_.ranks[part.recording];
    auto& devices = covers_[part.recording];
    if (devices.empty()) devices = ComputeCover::Of(rank);
    const Activity& activity = rank.activities[part.activity];
    const ComputeCover& cover = devices[rank.streams[activity.stream].device_index];
    return part.wait - cover.Within(part.start, part.start + part.wait);
  }

  // Of all parts of all ranks.
  int64_t Total() {
    int64_t total = 0;
    for (const CollectiveMatch& match : facts_.collectives.matches) {
      if (match.last == kNobody) continue;
      for (const CollectivePart& part : facts_.collectives.Parts(match)) {
        if (part.wait > 0) total = AddSaturated(total, Of(part));
      }
    }
    return total;
  }

 private:
  const Facts& facts_;
  std::vector<std::vector<ComputeCover>> covers_;
};

}  // namespace stepscope
