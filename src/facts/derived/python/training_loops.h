// Finds the functions of the user's program that are training loops.
#pragma once

#include <cstdint>
#include <set>

#include "base/intervals.h"
#include "facts/facts.h"

namespace stepscope {

// The names of the functions of the thread that hold nine tenths of its operators in steps and half
// of the steps, where anything runs a backward pass: what only goes forward is a function to look
// at, as where a service runs a model. Without steps, of `windows`. REQUIRES: with steps, the
// thread is the TrainingThread() of the rank; the loops of each rank are then found once.
std::set<StringId> TrainingLoopsOf(const Facts& facts, const RankActivity& rank, uint32_t thread,
                                   const IntervalSet& windows);

}  // namespace stepscope
