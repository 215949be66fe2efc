// Tells steps that take longer because their inputs are larger from steps that take longer.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Whether the sizes of inputs, as drawn at random or of sequences of other lengths, explain what
// steps of a rank take beyond the usual time.
class StepInputs {
 public:
  // Known where hosts decide how long steps are, and shapes were recorded.
  StepInputs(const Facts& facts, const RankSteps& rank);

  // Of the rank's step at this position: at least half of what it takes beyond `usual` ns is what
  // its inputs would let expect.
  bool Explain(size_t step, int64_t usual) const;

 private:
  std::vector<double> expected_, times_;  // ns; empty: sizes explain nothing
};

// Adds a finding of low severity: steps that do more are no fault. `count` of `of` steps take
// `slow` times the median or more for that reason.
void AddLargerInputs(Report& report, int64_t count, int64_t of, double slow);

}  // namespace stepscope
