// Weighs whether a rank that others wait for is late, or whether its steps only vary as those of
// all ranks do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "facts/derived/step_blame.h"
#include "facts/facts.h"

namespace stepscope {

enum class LateEvidence : uint8_t {
  kFewSteps,     // there are too few steps to tell
  kNone,         // its steps vary as much as it is late, or it is late in one or two steps
  kUnexplained,  // the others wait in each step, but it spends no more time outside of waiting
  kClear,        // it spends more time than the others, far beyond how its steps vary
};

// How long each participant takes in each step without exposed communication: what it does itself.
class OwnTimes {
 public:
  explicit OwnTimes(const Facts& facts);

  // What is clear: in three steps or more the rank takes longer than the median of the others, by
  // twice the variation of that in the steps in which it is late, and of its own times; or, of rare
  // steps, by three times the variation over all steps. Variations are median absolute deviations,
  // as standard deviations.
  LateEvidence Weigh(const StepBlame& steps, uint32_t rank) const;

  // Whether the rank takes longer than the others in all steps, or in all since one: by twice what
  // that varies, not only where it was late. True where few steps were recorded, false where few of
  // many tell.
  bool IsAlwaysSlow(uint32_t rank, std::optional<int64_t> since) const;

 private:
  // ns beyond the median of the others, of the steps that several have.
  std::map<int64_t, double> BeyondOthers(uint32_t rank) const;

  std::vector<std::map<int64_t, int64_t>> own_;  // ns, by step; by participant
};

}  // namespace stepscope
