// Tells which thread of a process trains, and when a thread runs operators.
#pragma once

#include <cstdint>
#include <optional>

#include "base/intervals.h"
#include "base/string_table.h"
#include "facts/activity/rank_activity.h"

namespace stepscope {

// The thread that a rank's steps are marked on; else the one with the most time in operators.
// Nothing where there are neither.
std::optional<uint32_t> ComputingThread(const StringTable& names, const RankActivity& rank);

// Of the threads with frames the one that a rank's steps are marked on; else the one with the most
// launches, else with the most time in operators, else with the most frames. Nothing where there
// are no frames.
std::optional<uint32_t> TrainingThread(const StringTable& names, const RankActivity& rank);

// When the thread runs operators.
IntervalSet OperatorsOf(const HostOps& host, uint32_t thread);

}  // namespace stepscope
