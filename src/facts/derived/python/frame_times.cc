// Gives each moment of a thread to the function of the user's program that caused it.
#include "facts/derived/python/frame_times.h"

#include <algorithm>
#include <utility>

#include "base/innermost.h"
#include "base/saturate.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/walk_frames.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

// "<genexpr>", "<lambda>": a part of the function that calls it.
bool IsNested(const FrameName& frame) {
  return frame.function.starts_with('<') && !frame.file.empty() && frame.function != "<module>";
}

// Whether a whole step lies within the frame; without steps, half of `whole`, ns.
bool HoldsStep(const RankActivity& rank, const HostFrame& frame, int64_t whole) {
  if (rank.steps.empty()) return frame.end - frame.start >= whole / 2;
  const auto step = std::ranges::lower_bound(rank.steps, frame.start, {}, &Step::start);
  return step != rank.steps.end() && step->end <= frame.end;
}

}  // namespace

bool IsOfDecorator(std::string_view name) {
  const std::string_view function = name.substr(name.find_last_of(' ') + 1);
  return function == "wrapper" || function == "wrapped" || function == "inner";
}

FrameTimes::Origin FrameTimes::OriginOf(StringId name) {
  const auto [at, is_new] = origins_.try_emplace(name, Origin::kUser);
  if (is_new) {
    const FrameName frame = ParseFrameName(names_[name]);
    if (IsOfLibrary(frame) || IsNested(frame)) at->second = Origin::kLibrary;
    if (frame.file.empty()) at->second = Origin::kBuiltIn;
  }
  return at->second;
}

// Of each frame the one that its time belongs to.
std::vector<int32_t> FrameTimes::OwnersOf(const HostFrames& frames) {
  std::vector<int32_t> owners;
  owners.reserve(frames.size());
  std::vector<bool> of_user;
  StopChecks checks;
  for (size_t f = 0; f < frames.size(); ++f) {
    checks.Turn();
    const HostFrame frame = frames[f];
    const Origin origin = OriginOf(frame.name);
    const bool has_caller = frame.parent != kNoRange;
    const bool called_by_user = has_caller && of_user[static_cast<size_t>(frame.parent)];
    const bool callers = origin == Origin::kBuiltIn ? has_caller : called_by_user;
    of_user.push_back(origin == Origin::kUser || called_by_user);
    owners.push_back(origin != Origin::kUser && callers ? owners[static_cast<size_t>(frame.parent)]
                                                        : static_cast<int32_t>(f));
  }
  return owners;
}

// Calls visit(frame, its owner, start, end) for each stretch of a thread.
template <class Visit>
void FrameTimes::ForEachOwned(const HostFrames& frames, const Visit& visit) {
  const std::vector<int32_t> owners = OwnersOf(frames);
  const auto nothing = [](size_t) {};
  WalkFrames(
      frames, nothing,
      [&](size_t f, int64_t start, int64_t end) {
        visit(f, static_cast<size_t>(owners[f]), start, end);
      },
      nothing);
}

int32_t FrameTimes::CallerOf(const HostFrames& frames, size_t frame) {
  const StringId name = frames[frame].name;
  int32_t caller = frames[frame].parent;
  while (caller != kNoRange) {
    const HostFrame around = frames[static_cast<size_t>(caller)];
    const bool is_other = around.name != name && OriginOf(around.name) == Origin::kUser;
    if (is_other && !IsOfDecorator(names_[around.name])) break;
    caller = around.parent;
  }
  return caller;
}

std::set<StringId> FrameTimes::LoopsOf(const RankActivity& rank, uint32_t thread,
                                       const IntervalSet& windows) {
  constexpr double kOfOperators = 0.9, kOfSteps = 0.5;
  const HostFrames& frames = rank.host->frames[thread];
  if (loops_ == Loops::kOwn || frames.empty()) return {};
  std::vector<Interval> spans, ranges;
  for (const Step& step : rank.steps) spans.push_back({step.start, step.end});
  if (spans.empty()) spans = windows;
  for (const HostRange& range : rank.host->ranges) {
    if (range.kind == Kind::kOperator && range.thread == thread)
      ranges.push_back({range.start, range.end});
  }
  const IntervalSet steps = UnionOf(std::move(spans));
  const IntervalSet operators = Intersection(UnionOf(std::move(ranges)), steps);
  if (operators.empty()) return {};
  const AnywhereInWindows in_steps(steps), in_operators(operators);
  struct Held {
    int64_t until = INT64_MIN, steps = 0, operators = 0;
  };
  std::unordered_map<StringId, Held> held;
  std::set<StringId> of_libraries;
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    if (OriginOf(frame.name) != Origin::kUser) {
      of_libraries.insert(frame.name);
      continue;
    }
    Held& of = held[frame.name];
    const int64_t start = std::max(frame.start, of.until);
    if (start >= frame.end) continue;
    of.until = frame.end;
    of.steps = AddSaturated(of.steps, in_steps.Within(start, frame.end));
    of.operators = AddSaturated(of.operators, in_operators.Within(start, frame.end));
  }
  // What only goes forward is a function to look at, as where a service runs a model.
  const auto is_backward = [&](StringId name) {
    const std::string function = ParseFrameName(names_[name]).function;
    return function == "backward" || function.ends_with("run_backward");
  };
  if (std::ranges::none_of(of_libraries, is_backward)) return {};
  const double all = kOfOperators * static_cast<double>(LengthOf(operators));
  const double most = kOfSteps * static_cast<double>(LengthOf(steps));
  std::set<StringId> loops;
  for (const auto& [name, of] : held) {
    if (static_cast<double>(of.operators) >= all && static_cast<double>(of.steps) >= most)
      loops.insert(name);
  }
  return loops;
}

bool FrameTimes::IsInLibrary(const HostFrames& frames, size_t frame, size_t owner) {
  for (size_t f = frame; f != owner; f = static_cast<size_t>(frames[f].parent)) {
    const StringId name = frames[f].name;
    if (OriginOf(name) == Origin::kLibrary && IsOfLibrary(ParseFrameName(names_[name])))
      return true;
  }
  return false;
}

void FrameTimes::Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows) {
  const std::set<StringId> loops = LoopsOf(rank, thread, windows);
  for (const StringId name : loops) all_loops_.insert(ParseFrameName(names_[name]));
  const int64_t whole = LengthOf(windows);
  windows_ = AddSaturated(windows_, whole);
  ranks_.insert(rank.rank);
  const HostFrames& frames = rank.host->frames[thread];
  AlongWindows along(windows);
  size_t last = frames.size();  // the owner that `caller` is known of
  StringId caller = kNoString;
  ForEachOwned(frames, [&](size_t f, size_t owner, int64_t start, int64_t end) {
    const int64_t time = along.Within(start, end);
    if (time == 0) return;
    if (loops.contains(frames[owner].name) && IsInLibrary(frames, f, owner)) return;
    if (owner != last) {
      last = owner;
      const int32_t by = CallerOf(frames, owner);
      const bool is_known =
          by != kNoRange && !HoldsStep(rank, frames[static_cast<size_t>(by)], whole);
      caller = is_known ? frames[static_cast<size_t>(by)].name : kNoString;
    }
    const StringId within = owner == f ? kNoString : frames[f].name;
    int64_t& sum = times_[{frames[owner].name, within, caller, rank.rank}];
    sum = AddSaturated(sum, time);
  });
}

IntervalSet FrameTimes::StretchesOf(const RankActivity& rank, uint32_t thread,
                                    const IntervalSet& windows, const FrameName& function) {
  const HostFrames& frames = rank.host->frames[thread];
  std::unordered_map<StringId, bool> wanted;
  std::vector<Interval> stretches;
  ForEachOwned(frames, [&](size_t, size_t owner, int64_t start, int64_t end) {
    const auto [at, is_new] = wanted.try_emplace(frames[owner].name, false);
    if (is_new) at->second = ParseFrameName(names_[at->first]) == function;
    if (!at->second) return;
    if (!stretches.empty() && stretches.back().end == start)
      stretches.back().end = end;
    else
      stretches.push_back({start, end});
  });
  return Intersection(UnionOf(std::move(stretches)), windows);
}

std::vector<int64_t> FrameTimes::RanksOf(const std::map<int64_t, int64_t>& times) const {
  constexpr int64_t kHardlyAny = 5;  // a fifth
  const auto of = [](const auto& entry) { return entry.second; };
  const int64_t most = of(*std::ranges::max_element(times, {}, of));
  std::vector<int64_t> ranks;
  for (const auto& [rank, time] : times) {
    if (time >= most / 2)
      ranks.push_back(rank);
    else if (time > most / kHardlyAny)
      return {};
  }
  return ranks.size() < ranks_.size() ? ranks : std::vector<int64_t>();
}

std::vector<FrameTimes::Leader> FrameTimes::Leaders(size_t most, double share) const {
  constexpr double kMostCalls = 0.8;
  constexpr double kOfLoop = 2;  // a loop calls everything, and so takes some time in itself
  struct Owned {
    int64_t time = 0;
    std::map<FrameName, int64_t> within, callers;
    std::map<int64_t, int64_t> of_ranks;
  };
  std::map<FrameName, Owned> merged;
  for (const auto& [key, time] : times_) {
    Owned& owned = merged[ParseFrameName(names_[key.owner])];
    owned.time = AddSaturated(owned.time, time);
    int64_t& of_rank = owned.of_ranks[key.rank];
    of_rank = AddSaturated(of_rank, time);
    if (key.caller != kNoString) {
      int64_t& called = owned.callers[ParseFrameName(names_[key.caller])];
      called = AddSaturated(called, time);
    }
    if (key.within == kNoString) continue;
    const FrameName frame = ParseFrameName(names_[key.within]);
    if (IsNested(frame) && !IsOfLibrary(frame)) continue;
    int64_t& within = owned.within[frame];
    within = AddSaturated(within, time);
  }
  std::vector<Leader> leaders;
  for (const auto& [name, owned] : merged) {
    const double least = share * (all_loops_.contains(name) ? kOfLoop : 1);
    if (static_cast<double>(owned.time) < least * static_cast<double>(windows_)) continue;
    leaders.push_back({.name = name, .time = owned.time, .ranks = RanksOf(owned.of_ranks)});
    const auto of = [](const auto& within) { return within.second; };
    const auto longest = std::ranges::max_element(owned.within, {}, of);
    if (longest != owned.within.end() && longest->second >= owned.time - longest->second) {
      leaders.back().within = longest->first;
      leaders.back().time_within = longest->second;
    }
    const auto caller = std::ranges::max_element(owned.callers, {}, of);
    const bool calls_most =
        caller != owned.callers.end() &&
        static_cast<double>(caller->second) >= kMostCalls * static_cast<double>(owned.time);
    if (calls_most) leaders.back().caller = caller->first;
  }
  std::ranges::stable_sort(leaders, std::ranges::greater{}, &Leader::time);
  leaders.resize(std::min(leaders.size(), most));
  return leaders;
}

}  // namespace stepscope
