// Finds calls of kernels, operators and collectives that one of two runs makes more often.
#pragma once

#include "report/compare_lead.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

struct CallChange {
  bool is_cause = false;          // a finding says which calls run more often
  bool more_collectives = false;  // on any rank
  bool is_elsewhere = false;      // other findings explain the calls, which none tells
  double time = 0;                // ns that the added calls take, as the finding's impact
};

// Adds a finding about the calls that run more often and take time, unless others no longer run in
// their place: per step, or in sum where steps are unknown. Where these calls are a large part of
// what steps grew by and no rank stands out (`on_a_rank`), all of that may be due to them. None
// of calls that `elsewhere` explains, so many ns more per step: evaluation between steps, and what
// new Python functions call.
CallChange AddCallFinding(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                          bool on_a_rank, double elsewhere, Report& report, Leads& leads);

// " Calls differ: softmax runs 4 times per step before, 20 after on rank 1."; empty where none do
// that take time.
Phrase SayOtherCalls(const ReportSet& a, const ReportSet& b, const StepComparison& steps);

}  // namespace stepscope::comparison
