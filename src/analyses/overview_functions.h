// Names the function, and the steps, in which a category of step time is.
#pragma once

#include <vector>

#include "facts/derived/python/frame_times.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope::overview {

// Of the time between operators, in one function.
inline constexpr double kStandsOut = 0.25;

// Where no function has much of what all ranks run between operators: the one that the rank with
// most of it runs more than the rank with least, as `stragglers` names it. "rank 0 spends more in
// save (serialization.py:945)"; empty: none.
Phrase SayMoreOnOne(const Facts& facts, const std::vector<RankSteps>& ranks);

// " in steps 6, 7 and 12", " in every 3rd step (6, 9 and 12)": where all of the category is in at
// most half of the steps, which `where` then holds; else empty.
Phrase SayStepsWith(const std::vector<RankSteps>& ranks, StepCategory category, Where& where);

// "score_sequence": the program of which JAX, in these steps, compiles most, as the call says that
// compiles it; empty: no call says so.
std::string_view ProgramCompiled(const Facts& facts, const std::vector<RankSteps>& ranks);

// The function that waits for a file lock, as of fcntl.flock(), for a twentieth of these moments or
// more: another process holds it.
std::optional<FrameTimes::Leader> WaitsForFileLock(const FrameTimes& python);
// " sign_in (registry.py:20) waits for a file lock for 8.20 ms per step."; and what to do about it.
Phrase SayFileLock(const FrameTimes::Leader& waits, int64_t steps);
Phrase HoldLessLong(const FrameTimes::Leader& waits);

// "; its 59 calls take longer and longer, from 1.40 ms to 39.0 ms": of the function with the most
// time, where no step tells.
Phrase SayGrowingCalls(const Facts& facts, const std::vector<RankSteps>& ranks,
                       const FrameTimes& python);

}  // namespace stepscope::overview
