// Finds the Python function behind a step that takes longer than others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/intervals.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/rank_windows.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Of the training threads' functions those count that take `least` ns more within `slow`, per
// window, than within `others`, which may be of another rank, and do not run through all of
// `others` as the training loop does. One of the user's program comes before a library's, which
// must have most of its time in excess; then one that does not run in the others; then those with
// the largest part of their time in excess; of these the outermost, or what that one only calls:
// the innermost function that has nearly all of its time.
// Nothing where none takes so much. Where no frames were recorded, annotations stand for functions
// (step_annotation.h), here and in what follows. `caller`: what only calls it,
// without decorators; or what calls a function that does not run in the others, if nearly all it
// takes is in excess too; `time`: ns more per window. Where there is none of these: what is built
// in and runs longer there without operators, as `within` of the user's function that calls it.
std::optional<FrameTimes::Leader> FunctionBehind(const Facts& facts, const RankWindows& slow,
                                                 const RankWindows& others, int64_t least);

// A function behind the excess of a stretch of the slow windows.
struct StretchBehind {
  FrameTimes::Leader function;  // `time`: ns per window there, the median, with what it calls
  size_t first = 0, last = 0;   // indexes of windows
};

// Where one function after another is behind it, each in three windows in a row or more and in no
// other: up to three, in order. Else empty.
std::vector<StretchBehind> StretchesBehind(const Facts& facts, const RankWindows& slow,
                                           const RankWindows& others, int64_t least);

// What it was measured by: what is built in, where the function only calls it.
inline const FrameName& MeasuredOf(const FrameTimes::Leader& behind) {
  return behind.within.function.empty() ? behind.name : behind.within;
}

// Whether a function that was found behind more time runs for at least so many ns per window while
// no device, or without one no operator, runs: what it takes longer within operators is no time
// between them.
bool RunsBetween(const Facts& facts, const RankWindows& windows, const FrameTimes::Leader& function,
                 int64_t least);

// Whether the function is the model's, on the training thread of any rank: it is called forward or
// backward, or one of its calls is within one of these or within a module.
bool IsOfModel(const Facts& facts, const FrameName& function);

// The calls of functions whose names are meant, in order, also those within one another.
std::vector<Interval> CallsOf(const HostFrames& frames, const StringTable& names,
                              const std::function<bool(const FrameName&)>& is_meant);

// Those of one function on the rank's training thread.
std::vector<Interval> CallsOf(const Facts& facts, const RankActivity& rank,
                              const FrameName& function);

// ns that the training thread spends in the function, with what it calls, in each of the windows.
std::vector<int64_t> TimesIn(const Facts& facts, const RankWindows& windows,
                             const FrameName& function);

// ns that each call of the function takes on the training thread, with what it calls, in order.
std::vector<int64_t> CallTimes(const Facts& facts, const RankActivity& rank,
                               const FrameName& function);

}  // namespace stepscope
