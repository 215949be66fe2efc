// Measures how long ranks save checkpoints within their steps, where names tell.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct RankSaves {
  int64_t rank = 0;
  int64_t steps = 0;  // at least 1
  int64_t time = 0;   // ns of the thread that computes, in all of them

  double PerStep() const { return static_cast<double>(time) / static_cast<double>(steps); }
};

// Of each of RankStepsOf(), by functions and annotations whose names say so.
const std::vector<RankSaves>& CheckpointSavesOf(const Facts& facts);

// ns per step that the rank saves beyond the median of the others; 0: it does not.
int64_t SavesBeyondOthers(const Facts& facts, int64_t rank);

}  // namespace stepscope
