// Adds up the events of threads and streams by what they lie within: flame graphs, and callers and
// callees of a name.
#pragma once

#include <stop_token>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/timeline.h"

namespace stepscope {

// Timeline::Select() by stack.
Result<Report> StacksOf(const Timeline::State& state, const TimelineSelection& selection,
                        const std::stop_token& stop);

}  // namespace stepscope
