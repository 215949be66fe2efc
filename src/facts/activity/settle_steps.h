// Takes steps from the optimizer where a trace marks none, and puts a rank's steps in order.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "facts/activity/rank_activity.h"
#include "trace/trace.h"

namespace stepscope {

// Returns the stretches between the ends of two optimizer steps, for training loops without
// profiler.step(). Of several optimizers the one counts that steps least often: the others may step
// several times per turn of the loop.
std::vector<Step> StepsFromOptimizer(const HostRanges& ranges, Trace& trace);

// Sorts steps by start and drops those whose number came before. Returns the place of each number.
std::map<int64_t, int32_t> SettleSteps(std::vector<Step>& steps, Notes& notes);

// Drops the last steps of a file that ends early, where their operators are missing: events are not
// in order of time, and the file may have steps whole of which it has nothing else. Of a step that
// is missing in part, the time after its last operator is longer than in any step before.
void DropCutSteps(const HostRanges& ranges, std::vector<Step>& steps);

}  // namespace stepscope
