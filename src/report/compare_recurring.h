// Compares the slow steps of two runs: those that recur, as with a checkpoint, and others.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "report/compare_lead.h"
#include "report/compare_new_functions.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// What slow steps explain of a change of the mean step time, which they hide in the steps' noise.
struct SlowStepChange {
  Phrase headline;         // " Every 5th step (4, 9 and 14) took 740 ms longer before, none after."
  bool is_told = false;    // a finding or the headline tells the change
  bool on_a_rank = false;  // a finding tells it of one rank, so that the others wait for it
  double time = 0;         // ns per step, as the finding's impact
  Phrase message = {};     // the finding's; empty: there is none
  Phrase steps = {};       // its steps: "every 5th step (4, 9 and 14)"
  std::optional<int64_t> rank = {};  // whose they are; empty: the job's
  std::set<int64_t> numbers = {};    // of these steps
};

// Adds a finding where one of so many steps, the same distance apart, takes longer than the others
// of the run after, and cost less before. Where one rank has them, the others wait for it in other
// steps. Of slow steps that do not recur the headline tells how many there are.
// `functions`: those that are told as new.
SlowStepChange AddSlowSteps(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                            const std::vector<NewFunction>& functions, Report& report,
                            Leads& leads);

}  // namespace stepscope::comparison
