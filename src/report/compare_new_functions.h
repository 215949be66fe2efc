// Finds the Python functions that only one of two runs has.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/compare_read.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// A function of a file, outside of all others that only its run has, or what that one only calls.
struct NewFunction {
  std::string name;                 // "write_snapshot (t.py:56)"
  std::map<int64_t, double> ranks;  // ns per step of each rank that calls it
  bool of_library = false;
  double Most() const;
};

// Those of the run after, the largest first. What they call that the run before has too counts
// where it runs more often than before: a function around the old ones takes no time of its own. A
// function that takes as long as one that no longer runs on its rank has taken its place, and is
// none of them. Empty where only one run has Python's functions.
std::vector<NewFunction> NewFunctions(const ReportSet& a, const ReportSet& b);

}  // namespace stepscope::comparison
