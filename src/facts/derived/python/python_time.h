// Gives each moment of a host thread to the innermost of its Python frames.
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
#include "facts/derived/steps/step_categories.h"
#include "facts/facts.h"
#include "trace/frame_name.h"

namespace stepscope {

// Whether any of the recordings has frames.
bool HasPython(const Facts& facts);
// The same, also where the frames were not asked for.
bool RecordedPython(const Facts& facts);

// The thread that a rank's steps are marked on; else the one with the most time in operators.
// Nothing where there are neither.
std::optional<uint32_t> ComputingThread(const StringTable& names, const RankActivity& rank);

// Of the threads with frames the one that a rank's steps are marked on; else the one with the most
// launches, else with the most time in operators, else with the most frames. Nothing where there
// are no frames.
std::optional<uint32_t> TrainingThread(const StringTable& names, const RankActivity& rank);

// Goes through the frames of a thread: calls enter(f) when a frame begins, visit(f, start, end) for
// each stretch in which it is the innermost, leave(f) when it has ended. Stretches ascend and never
// overlap, whatever frames do.
template <class Enter, class Visit, class Leave>
void WalkFrames(const HostFrames& frames, const Enter& enter, const Visit& visit,
                const Leave& leave) {
  struct Open {
    size_t frame;
    int64_t end;
  };
  std::vector<Open> open;
  int64_t now = INT64_MIN;
  const auto advance = [&](int64_t until) {
    while (!open.empty()) {
      const auto [frame, end] = open.back();
      const int64_t stop = std::min(end, until);
      if (stop > now) {
        visit(frame, now, stop);
        now = stop;
      }
      if (end > until) break;
      leave(frame);
      open.pop_back();
    }
    now = std::max(now, until);
  };
  StopChecks checks;
  for (size_t f = 0; f < frames.size(); ++f) {
    checks.Turn();
    const HostFrame frame = frames[f];
    advance(frame.start);
    open.push_back({f, frame.end});
    enter(f);
  }
  advance(INT64_MAX);
}

// What the user's functions took of a thread's time within windows. Each moment belongs to the
// innermost function of the user's program around it: what libraries and built-in functions do
// there is its own. Where there is none, it belongs to the innermost function that has a file.
class FrameTimes {
 public:
  explicit FrameTimes(const Facts& facts) : names_(*facts.names) {}

  // Adds the thread's within `windows`.
  void Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows);

  struct Leader {
    FrameName name;
    FrameName
        within;  // built in or a library's: the innermost for half of `time` or more; or empty
    // The user's function that calls it, for four fifths of `time` or more, and is no training
    // loop: none of its calls takes a whole step. Or empty.
    FrameName caller;
    int64_t time = 0;  // ns
    // Where some ranks spend hardly any of it: those that spend half as much as the one with the
    // most, or more; ascending. Else empty.
    std::vector<int64_t> ranks;
  };
  // Most time first; of those below `share` of all windows none.
  std::vector<Leader> Leaders(size_t most, double share = 0.1) const;
  // When the thread's time within `windows` belongs to this function.
  IntervalSet StretchesOf(const RankActivity& rank, uint32_t thread, const IntervalSet& windows,
                          const FrameName& function);

 private:
  enum class Origin : uint8_t { kUser, kLibrary, kBuiltIn };
  struct Key {
    // within: kNoString where the owner is the innermost itself; caller: where there is none.
    StringId owner, within, caller;
    int64_t rank;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      const uint64_t names = (uint64_t{key.owner} << 32) + key.within;
      const uint64_t others = uint64_t{key.caller} * 0xbf58476d1ce4e5b9;
      return std::hash<uint64_t>()(names ^ others ^
                                   static_cast<uint64_t>(key.rank) * 0x9e3779b97f4a7c15);
    }
  };
  std::vector<int32_t> OwnersOf(const HostFrames& frames);
  template <class Visit>
  void ForEachOwned(const HostFrames& frames, const Visit& visit);
  Origin OriginOf(StringId name);
  // Of a frame, the innermost frame of another function of the user around it; kNoRange: none.
  int32_t CallerOf(const HostFrames& frames, size_t frame);
  std::vector<int64_t> RanksOf(const std::map<int64_t, int64_t>& times) const;

  const StringTable& names_;
  std::unordered_map<Key, int64_t, Hash> times_;
  std::unordered_map<StringId, Origin> origins_;
  std::set<int64_t> ranks_;  // whose windows were added
  int64_t windows_ = 0;
};

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
// first activity and its last.
FrameTimes PythonWhileIdle(const Facts& facts, int64_t rank);

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
