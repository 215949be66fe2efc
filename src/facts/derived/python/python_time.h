// Sums the time of Python functions: of the steps of all ranks, and of windows of one thread.
//
// Frames are a thread's own; what it runs below them (operators, runtime calls) counts for the
// frame that ran it. All of it takes time by the number of frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/intervals.h"
#include "base/stop.h"
#include "facts/derived/python/frame_times.h"
#include "facts/derived/python/training_thread.h"
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Whether any of the recordings has frames.
bool HasPython(const Facts& facts);
// The same, also where the frames were not asked for.
bool RecordedPython(const Facts& facts);

// What counts of a recording's frames.
struct CountedPython {
  const RankActivity* rank = nullptr;
  bool marked = false;  // the steps, as in RankStepsOf(); else all that was recorded
  IntervalSet windows;
};
// Of the recordings that have frames.
std::vector<CountedPython> CountedPythonOf(const Facts& facts);

// Of each call into the runtime, and of each range: the innermost frame of its thread around its
// start; kNoRange for none.
std::vector<int32_t> FramesOfCalls(const HostOps& host);
std::vector<int32_t> FramesOfRanges(const HostOps& host);

// What the training threads' functions took of the steps' moments of a category.
FrameTimes PythonDuring(const Facts& facts, const std::vector<RankSteps>& ranks,
                        StepCategory category);

// What the training thread's functions took while no device of this rank ran anything, between its
// first activity and its last; with `since`, in steps from that number on.
FrameTimes PythonWhileIdle(const Facts& facts, int64_t rank, std::optional<int64_t> since = {});

// What one function took, within the steps of its rank.
struct FunctionSum {
  int64_t calls = 0;  // that began within steps
  int64_t self = 0;   // ns; without the functions it called
  int64_t total = 0;  // ns; with them, and once where it calls itself
  int64_t idle = 0;   // ns of self while no device of the rank ran anything

  void Add(const FunctionSum& o);
};

struct ThreadFunctions {
  std::string thread;
  bool training = false;                                     // it is the TrainingThread()
  std::vector<std::pair<FrameName, FunctionSum>> functions;  // by name
};

struct RankFunctions {
  const RankActivity* rank = nullptr;
  bool marked = false;      // there are steps; else all that was recorded counts
  int64_t time = 0;         // ns of the steps, or of all
  bool idle_known = false;  // the rank has device activity, all of it
  std::vector<ThreadFunctions> threads;
};

// Of the recordings that have frames.
std::vector<RankFunctions> FunctionsOfRanks(const Facts& facts);

}  // namespace stepscope
