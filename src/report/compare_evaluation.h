// Compares what two runs spend on evaluation between their steps, which no step has.
#pragma once

#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// "Evaluation between steps: none before, 3 runs and 431 ms after (83.0% of the trace). "; empty
// where both runs spend about the same share on it.
Phrase SayEvaluation(const ReportSet& a, const ReportSet& b);

// Whether runs spend relevantly more or less per step on it, so that sums of calls differ.
bool EvaluationDiffers(const ReportSet& a, const ReportSet& b, const StepComparison& steps);

// Adds a finding where the run after spends relevantly more per step on it. Returns ns per step.
double AddEvaluationFinding(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                            Report& report);

}  // namespace stepscope::comparison
