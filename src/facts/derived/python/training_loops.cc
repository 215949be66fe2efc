// Adds up, by name, the steps and operators that functions hold; a call within a call counts once.
#include "facts/derived/python/training_loops.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/frame_owners.h"
#include "facts/derived/python/training_thread.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace training_loops {
namespace {

constexpr double kOfOperators = 0.9, kOfSteps = 0.5;

bool IsBackward(const FrameName& frame) {
  return frame.function == "backward" || frame.function.ends_with("run_backward");
}

// Whether a frame of a library or a built-in function runs a backward pass.
bool RunsAnyBackward(const Facts& facts, const HostFrames& frames) {
  const std::vector<FrameOrigin>& origins = FrameOriginsOf(facts);
  std::set<StringId> seen;
  for (const HostFrame& frame : frames) {
    if (origins[frame.name] != FrameOrigin::kUser && seen.insert(frame.name).second &&
        IsBackward(ParseFrameName((*facts.names)[frame.name])))
      return true;
  }
  return false;
}

std::set<StringId> LoopsWithin(const Facts& facts, const RankActivity& rank, uint32_t thread,
                               const IntervalSet& steps) {
  const HostFrames& frames = rank.host->frames[thread];
  if (frames.empty() || !RunsAnyBackward(facts, frames)) return {};
  const IntervalSet operators = Intersection(OperatorsOf(*rank.host, thread), steps);
  if (operators.empty()) return {};
  const AnywhereInWindows in_steps(steps), in_operators(operators);
  struct Held {
    int64_t until = INT64_MIN, steps = 0, operators = 0;
  };
  std::unordered_map<StringId, Held> held;
  const std::vector<FrameOrigin>& origins = FrameOriginsOf(facts);
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    if (origins[frame.name] != FrameOrigin::kUser) continue;
    Held& of = held[frame.name];
    const int64_t start = std::max(frame.start, of.until);
    if (start >= frame.end) continue;
    of.until = frame.end;
    of.steps = AddSaturated(of.steps, in_steps.Within(start, frame.end));
    of.operators = AddSaturated(of.operators, in_operators.Within(start, frame.end));
  }
  const double all = kOfOperators * static_cast<double>(LengthOf(operators));
  const double most = kOfSteps * static_cast<double>(LengthOf(steps));
  std::set<StringId> loops;
  for (const auto& [name, of] : held) {
    if (static_cast<double>(of.operators) >= all && static_cast<double>(of.steps) >= most)
      loops.insert(name);
  }
  return loops;
}

std::set<StringId> LoopsOfSteps(const Facts& facts, const RankActivity& rank) {
  const auto thread = TrainingThread(*facts.names, rank);
  if (!thread) return {};
  std::vector<Interval> steps;
  for (const Step& step : rank.steps) steps.push_back({step.start, step.end});
  return LoopsWithin(facts, rank, *thread, UnionOf(std::move(steps)));
}

}  // namespace
}  // namespace training_loops

std::set<StringId> TrainingLoopsOf(const Facts& facts, const RankActivity& rank, uint32_t thread,
                                   const IntervalSet& windows) {
  if (rank.steps.empty())
    return training_loops::LoopsWithin(facts, rank, thread, UnionOf(IntervalSet(windows)));
  return facts.memo.Of<&training_loops::LoopsOfSteps>(facts, rank);
}

}  // namespace stepscope
