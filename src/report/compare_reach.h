// Finds in which steps of a run a part of them takes longer than in another run.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "report/compare_read.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// The steps that take longer, where they are not all of them.
struct Reach {
  Phrase when;                // " since step 6", " in steps 3 to 7"; empty: no words tell them
  double level = 0;           // ns that each of these takes more, in the mean
  std::set<int64_t> numbers;  // of these steps; empty: in all, or unknown
};

// Of a part of the steps of the run after, on a rank or in the mean of all. Since when, its own
// findings say; else the steps are told apart by their times, where those do not overlap.
Reach ReachOf(const ReportSet& after, const StepComparison& steps, const CategoryChange& category,
              Rank rank);

}  // namespace stepscope::comparison
