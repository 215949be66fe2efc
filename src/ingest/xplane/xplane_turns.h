// Splits the time of unmarked steps into turns of the training loop and evaluations.
#pragma once

#include <span>
#include <vector>

#include "ingest/xplane/xplane_groups.h"

namespace stepscope {

// An evaluation, with what prepares it: from the end of a step to the next one, or to its last
// call.
struct Evaluation {
  StringId function = kNoString;  // with the most time
  uint32_t line = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t calls = 0;
};

// Sorts steps by start, lets them last to the next one, and returns the evaluations between them,
// by start. What the program does between two calls of its function, as running callbacks or
// another function that trains, is part of the step. An evaluation is not: calls of a function that
// computes no gradients and runs behind fewer than half of the steps; nor what takes longer than
// the step's own calls, unless that is so behind most steps.
std::vector<Evaluation> SplitTurns(std::vector<StepRoot>& steps,
                                   std::span<const FunctionCall> others);

}  // namespace stepscope
