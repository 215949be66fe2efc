// Tells from a job's events how long its steps took before, during and after something, such as a
// capture.
#pragma once

#include <cstdint>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

// Median durations of steps, in ns; 0: there is none.
struct StepsAround {
  int64_t before = 0, during = 0, after = 0;
  int64_t steps_before = 0, steps_during = 0, steps_after = 0;  // how many they are of
};

// Of the steps that a recorder's directory holds: `during` are those that meet [start, end) (ns
// since 1970), before and after at most 50 each, nearest to it, within ten minutes. `job`: only of
// this job; empty: of all in the directory. Of several ranks the one with most steps counts. Fails
// where the directory cannot be read.
Result<StepsAround> StepTimesAround(const std::string& directory, const std::string& job,
                                    int64_t start, int64_t end);

}  // namespace stepscope
