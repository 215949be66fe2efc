// Weighs whether a rank that others wait for is late, or whether its steps only vary as those of
// all ranks do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "facts/derived/lateness/step_blame.h"
#include "facts/facts.h"

namespace stepscope {

enum class LateEvidence : uint8_t {
  kFewSteps,     // there are too few steps to tell
  kNone,         // its steps vary as much as it is late, or it is late in one or two steps
  kUnexplained,  // the others wait in each step, but it spends no more time outside of waiting
  kClear,        // it spends more time than the others, far beyond how its steps vary
};

// Of all wait time, what a rank must cause to stand out: this many times a fair share, or, of two
// ranks, this much.
inline constexpr double kFairShares = 1.5;
inline constexpr double kMostOfAll = 0.7;

// Whether being first of `participants` in `times` of `all` is no chance: less than 1 in 500 for
// all of them together, if they are alike.
bool IsNoChance(int64_t times, int64_t all, size_t participants);

// How long each participant takes in each step without exposed communication: what it does itself.
class OwnTimes {
 public:
  explicit OwnTimes(const Facts& facts);

  // What is clear: in three steps or more the rank takes longer than the median of the others, by
  // twice the variation of that in the steps in which it is late, and of its own times; or, of rare
  // steps, by three times the variation over all steps; or it is late, and takes longer, in so many
  // steps that the chance of it is below 1 in 500 for all ranks together. Variations are median
  // absolute deviations, as standard deviations.
  LateEvidence Weigh(const StepBlame& steps, uint32_t rank) const;

  // Whether the rank takes longer than the others in all steps, or in all since one, not only where
  // it was late: in so many steps that it is no chance (1 in 500), or usually by twice what that
  // varies, or by as much as it varies if the chance of so many and large ones is below 1 in 600
  // (base/signed_rank.h). Of fewer than six steps since one, each must be longer than each before.
  // True where few steps were recorded.
  bool IsAlwaysSlow(uint32_t rank, std::optional<int64_t> since) const;

  // Whether half or more of what it takes beyond the others since then is time that it takes longer
  // than before: else the others are faster. Where the others have no such steps before or since,
  // whether it takes no less than before.
  bool TakesLongerSince(uint32_t rank, int64_t since) const;

 private:
  // ns beyond the median of the others, of the steps that several have.
  std::map<int64_t, double> BeyondOthers(uint32_t rank) const;

  std::vector<std::map<int64_t, int64_t>> own_;  // ns, by step; by participant
};

}  // namespace stepscope
