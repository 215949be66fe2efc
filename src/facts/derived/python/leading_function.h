// Finds what the thread that trains or serves spends most of its steps in: a function of the user's
// program, or an operator where Python was not recorded; and what runs evaluation between steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/python/python_time.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"

namespace stepscope {

struct LeadingFunction {
  FrameTimes::Leader function;  // ns of all `ranks`, as of FrameTimes
  int64_t whole = 0;            // ns of their steps
  // Of function.time: ns in operators, and in the one with the longest self time.
  int64_t operators = 0, longest_operator = 0;
  StringId op = kNoString;
};
// Nothing where no function takes a tenth of the steps, as where no frames were read.
std::optional<LeadingFunction> FindLeadingFunction(const Facts& facts,
                                                   const std::vector<RankSteps>& ranks);

struct LeadingOperator {
  StringId op = kNoString;
  int64_t time = 0;   // ns of self time, of the thread that steps are marked on or with the most
  int64_t whole = 0;  // ns of the steps
};
// Nothing where no operator takes a tenth of the steps.
std::optional<LeadingOperator> FindLeadingOperator(const Facts& facts,
                                                   const std::vector<RankSteps>& ranks);

// ns that the rank evaluates between its steps (RankActivity::evaluations).
int64_t EvaluationTimeOf(const RankActivity& rank);

// The same of all ranks, per complete step of a rank; 0: no steps are marked.
int64_t EvaluationPerStep(const Facts& facts);

// Whether some recordings evaluate between steps and others do not, so that these wait meanwhile.
bool OnlySomeEvaluate(const Facts& facts);

// The function that runs the rank's evaluations and is in no step. Nothing where there are none, no
// frames were read, or none takes half of them.
std::optional<FrameTimes::Leader> EvaluatingFunction(const Facts& facts, const RankActivity& rank);

}  // namespace stepscope
