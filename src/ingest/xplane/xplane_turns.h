// Ends steps that are calls of a function where the next one begins.
#pragma once

#include <span>
#include <vector>

#include "ingest/xplane/xplane_groups.h"

namespace stepscope {

// What the program does between two calls of its function, as running callbacks or another function
// that trains, is part of the step. An evaluation is not: calls of a function that computes no
// gradients and runs between few steps, or what takes longer than the call. Sorts steps by start.
void ExtendToNext(std::vector<StepRoot>& steps, std::span<const FunctionCall> others);

// An evaluation, with what prepares it: from the end of a step to the next one, or to its last
// call.
struct Evaluation {
  StringId function = kNoString;  // with the most time
  uint32_t line = 0;
  int64_t start = 0;  // ns
  int64_t end = 0;
  int64_t calls = 0;
};

// By start. REQUIRES: steps are by start.
std::vector<Evaluation> EvaluationsBetween(std::span<const StepRoot> steps,
                                           std::span<const FunctionCall> others);

}  // namespace stepscope
