// Finds a rank on whose host everything takes longer since a step, with nothing more to do: another
// process takes its cores, or another thread of it holds Python's lock.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct SlowRank {
  int64_t rank = 0;
  int64_t since = 0;  // number of the first step
  // ns per step in operators and between them: medians of the others, and of these.
  int64_t before = 0, after = 0;
  double share = 0;  // of the time in operators before: of those that are slower
  double times = 0;  // as long as before these take together, by medians of steps

  int64_t Difference() const { return after - before; }
};

// Of each rank of a job that computes on hosts: since a change point of what it takes in operators,
// or in a stretch of steps, those with four fifths of that time take a quarter longer or more, by
// the medians of steps, called as often on inputs of as many elements. Empty where that is so of
// more than one rank: the machine is busy. Without shapes nothing tells more work from slower work,
// and there is none.
const std::vector<SlowRank>& SlowRanksOf(const Facts& facts);

// The one of this rank since about this step; null: none.
const SlowRank* SlowSince(const Facts& facts, int64_t rank, int64_t since);

}  // namespace stepscope
