// Finds what a Python function only calls, as one does that measures or repeats calls.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::comparison {

// Of a function's time, what another one has where the first only calls it.
inline constexpr double kCallsOne = 0.9;

// "f (data.py:7)" of "f (jobs/data.py:7)": as trees of calls name functions.
std::string NameInTree(std::string_view name);

// The functions whose time is nearly all within calls of this one, in the tree of the answer's
// Python functions: as the tree names them.
std::set<std::string> FunctionsWithin(const ReportSet& answer, std::string_view function);

// The innermost of those `within` that has nearly all of the time of `outer`, or `outer` itself.
// `time_of(function)`: 0 where it has none.
template <class Function, class TimeOf>
const Function& CalledBy(const Function& outer, const std::vector<const Function*>& within,
                         const TimeOf& time_of) {
  const Function* inner = &outer;
  for (const Function* function : within) {
    const double time = time_of(*function);
    if (time >= kCallsOne * time_of(outer) && time < time_of(*inner)) inner = function;
  }
  return *inner;
}

}  // namespace stepscope::comparison
