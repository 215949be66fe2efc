// Finds the annotation (record_function, "Optimizer.step#SGD.step") behind windows that take
// longer, where no Python was recorded: it stands for the function that it is around.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "facts/derived/python/frame_times.h"
#include "facts/derived/python/rank_windows.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// As FunctionBehind(), of the annotations on the ranks' computing threads: of those that have
// nearly all of the largest excess, the innermost. No step marks, and none that run through all of
// `others`.
std::optional<FrameTimes::Leader> AnnotationBehind(const Facts& facts, const RankWindows& slow,
                                                   const RankWindows& others, int64_t least);

// The calls of one, in order, on the rank's computing thread.
std::vector<Interval> CallsOfAnnotation(const Facts& facts, const RankActivity& rank,
                                        const FrameName& annotation);

}  // namespace stepscope
