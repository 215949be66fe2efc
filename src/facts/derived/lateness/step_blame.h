// Sums the wait time that each participant of collectives caused in each step.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/saturate.h"
#include "facts/facts.h"

namespace stepscope {

// ns that others waited for the last to arrive, by index into CollectiveFacts::ranks.
struct Blame {
  std::map<uint32_t, int64_t> by_rank;
  int64_t all = 0;

  void Add(uint32_t rank, int64_t ns) {
    int64_t& own = by_rank[rank];
    own = AddSaturated(own, ns);
    all = AddSaturated(all, ns);
  }
  bool CausedMost(uint32_t rank) const {
    const auto own = by_rank.find(rank);
    return own != by_rank.end() && own->second > 0 && own->second >= all - own->second;
  }
  // Who caused at least half of it; of two, the first. Empty: nobody did.
  std::optional<uint32_t> MostBlamed() const {
    for (const auto& [rank, ns] : by_rank) {
      if (CausedMost(rank)) return rank;
    }
    return std::nullopt;
  }
};
using StepBlame = std::map<int64_t, Blame>;  // by step number

// Of the steps in which a collective was split into wait and transfer, as its last to arrive
// numbers them. Where a rank without a trace was last, nobody is known to have caused the wait.
const StepBlame& BlameOfSteps(const Facts& facts);

// The sum of those steps that `counts` holds for, by number.
Blame BlameIn(const Facts& facts, const std::function<bool(int64_t)>& counts);

// The steps in which the participant caused at least half of the wait time.
std::set<int64_t> LateSteps(const StepBlame& steps, uint32_t rank);

// The steps before these; empty where one of them has none.
std::set<int64_t> StepsBefore(const StepBlame& steps, const std::set<int64_t>& late);

// The wait time that these participants caused in each step.
std::vector<int64_t> CausedBySteps(const StepBlame& steps, std::span<const uint32_t> ranks);
inline std::vector<int64_t> CausedBySteps(const StepBlame& steps, uint32_t rank) {
  return CausedBySteps(steps, {&rank, 1});
}

// The step since which the others wait longer for the participant; `least`: by how many ns per step
// (base/change_point.h).
std::optional<int64_t> WaitedForSince(const StepBlame& steps, uint32_t rank, double least);

}  // namespace stepscope
