// Finds and words steps that are exceptional at regular intervals, as those with a checkpoint are.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "stepscope/phrase.h"

namespace stepscope {

// "0, 2" of 0, 2 and 5. REQUIRES: not empty.
std::string AllButLast(std::span<const int64_t> numbers);

// Steps that are exceptional at regular intervals.
struct PeriodOfSteps {
  std::set<int64_t> numbers;
  int64_t every = 0;           // steps from one to the next, which may not have been recorded
  double usual = 0, high = 0;  // medians of the other steps and of these

  // "every 5th step (4, 9 and 14)", or "every 5th step of rank 0 (4, 9 and 14)" of " of rank 0".
  Phrase Say(const Phrase& of = {}) const;
};

// As FindPeriod() (base/period.h), of steps by number. `numbers`: ascending.
std::optional<PeriodOfSteps> FindPeriodOfSteps(std::span<const int64_t> numbers,
                                               std::span<const int64_t> values, double least);

// Steps whose value is more than `least`, which `in` then holds: " in step 9", " in steps 3 to 7",
// " in every 3rd step (3, 6 and 9)", " in steps 5 and 10", " in 5 of 12 steps". Empty where these
// are none, or more than half.
Phrase SaySteps(std::span<const int64_t> numbers, std::span<const int64_t> values, double least,
                std::vector<int64_t>& in);

// Of ns per step: ", 2.90 ms per step before step 8 and 24.7 ms since", where they take twice as
// long or longer since then; else empty. `numbers`: ascending.
Phrase SayRise(std::span<const int64_t> numbers, std::span<const int64_t> times);

}  // namespace stepscope
