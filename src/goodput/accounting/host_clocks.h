// Finds by how much the clocks of a job's hosts differ, from what processes told.
//
// Ranks of one attempt make the same step at about the same time. And of one rank, a later attempt
// begins after the steps of an earlier one: launchers count restarts, and a process that resumes
// from a step that another one made follows it. Where hosts contradict that, the clocks of some are
// moved onto that of the most. Two hosts that contradict nothing may still differ.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "goodput/accounting/lineup_group.h"
#include "goodput/events/notes.h"

namespace stepscope::goodput {

// By how much to move times of a clock (Recording::clock_name) onto the job's; absent: not at all.
using ClockMoves = std::map<std::string, int64_t>;

// Counts a note for each clock that is moved.
ClockMoves FindClockMoves(std::span<const Run> runs, Notes& note_counts);

}  // namespace stepscope::goodput
