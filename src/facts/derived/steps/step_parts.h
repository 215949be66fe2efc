// Takes the steps of a rank that computes on a host apart: each operator, and the time between any
// two of them.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

// Of an operator that no other is around; by step.
struct OperatorSteps {
  std::vector<int64_t> calls;
  std::vector<int64_t> time;      // ns
  std::vector<int64_t> elements;  // of the inputs of all its calls, those of operators within too
};

// While nothing runs, between two operators of any threads; without the end of a wait for a
// collective in autograd's engine, where its frames were recorded. kNoString: where a step begins
// or ends.
using Neighbours = std::pair<StringId, StringId>;

struct StepParts {
  int64_t rank = 0;
  std::vector<int64_t> steps;  // numbers, ascending; the places of all that is by step
  std::map<StringId, OperatorSteps> operators;
  std::map<Neighbours, std::vector<int64_t>> between;  // ns
};

// By rank, of those steps that all ranks recorded; empty where devices compute, no steps are
// marked, or ranks are partials, whose blocks are no operators.
const std::vector<StepParts>& StepPartsOf(const Facts& facts);

}  // namespace stepscope
