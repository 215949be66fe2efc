// Finds the Python function behind a step that takes longer than others.
#pragma once

#include <cstdint>
#include <optional>

#include "base/intervals.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Of the training thread's functions those count that take `least` ns more within `slow`, per
// window, than within `others`. One of the user's program comes before a library's; then
// one that does not run in the others, the outermost; else the innermost. Nothing where no frames
// were recorded, or none takes so much.
std::optional<FrameName> FunctionBehind(const Facts& facts, const RankActivity& rank,
                                        const IntervalSet& slow, const IntervalSet& others,
                                        int64_t least);

}  // namespace stepscope
