// Walks the frames of each thread along windows.
#include "facts/derived/python/python_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/innermost.h"
#include "base/saturate.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/steps/step_categories.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

uint32_t ThreadOfMost(const std::map<uint32_t, int64_t>& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
}

// The thread that steps are marked on, of those that `counts` holds for.
template <class Counts>
std::optional<uint32_t> MarkedThread(const StringTable& names, const HostOps& host,
                                     const Counts& counts) {
  for (const HostRange& range : host.ranges) {
    const RangeDetail* detail = host.DetailOf(range);
    const bool is_step =
        (detail != nullptr && detail->step >= 0) || StepNumber(names[range.name]) >= 0;
    if (is_step && counts(range.thread)) return range.thread;
  }
  return std::nullopt;
}

// ns of each thread in operators that no other range is around.
template <class Counts>
std::map<uint32_t, int64_t> OperatorTimes(const HostOps& host, const Counts& counts) {
  std::map<uint32_t, int64_t> times;
  const RangeLinks outermost =
      FindOutermost(host, [](const HostRange& range) { return range.kind == Kind::kOperator; });
  for (size_t r = 0; r < host.ranges.size(); ++r) {
    const HostRange range = host.ranges[r];
    if (outermost[r] != static_cast<int32_t>(r) || !counts(range.thread)) continue;
    int64_t& time = times[range.thread];
    time = AddSaturated(time, range.duration());
  }
  return times;
}

// "<genexpr>", "<lambda>": a part of the function that calls it.
bool IsNested(const FrameName& frame) {
  return frame.function.starts_with('<') && !frame.file.empty() && frame.function != "<module>";
}

// Whether a whole step lies within the frame, or no step tells.
bool HoldsStep(const RankActivity& rank, const HostFrame& frame) {
  const auto step = std::ranges::lower_bound(rank.steps, frame.start, {}, &Step::start);
  return rank.steps.empty() || (step != rank.steps.end() && step->end <= frame.end);
}

// Adds up the functions of one thread.
class ThreadSums {
 public:
  ThreadSums(const StringTable& names, const IntervalSet& windows, const IntervalSet& idle)
      : names_(names), windows_(windows), anywhere_(windows), idle_(idle) {}

  std::vector<std::pair<FrameName, FunctionSum>> Sum(const HostFrames& frames) {
    AlongWindows along(windows_), along_idle(idle_);
    WalkFrames(
        frames, [&](size_t f) { Enter(frames[f]); },
        [&](size_t f, int64_t start, int64_t end) {
          FunctionSum& sum = sums_[frames[f].name].sum;
          sum.self = AddSaturated(sum.self, along.Within(start, end));
          sum.idle = AddSaturated(sum.idle, along_idle.Within(start, end));
        },
        [&](size_t f) { --sums_[frames[f].name].open; });
    std::map<FrameName, FunctionSum> merged;
    for (const auto& [name, of] : sums_) {
      if (of.sum.calls > 0 || of.sum.total > 0) merged[ParseFrameName(names_[name])].Add(of.sum);
    }
    return {merged.begin(), merged.end()};
  }

 private:
  struct OfName {
    FunctionSum sum;
    int64_t open = 0;  // calls that have not ended
  };

  void Enter(const HostFrame& frame) {
    OfName& of = sums_[frame.name];
    if (anywhere_.Holds(frame.start)) ++of.sum.calls;
    if (of.open++ > 0) return;
    of.sum.total = AddSaturated(of.sum.total, anywhere_.Within(frame.start, frame.end));
  }

  const StringTable& names_;
  const IntervalSet& windows_;
  const AnywhereInWindows anywhere_;
  const IntervalSet& idle_;
  std::unordered_map<StringId, OfName> sums_;
};

RankFunctions FunctionsOf(const Facts& facts, const CountedPython& counted) {
  const RankActivity& rank = *counted.rank;
  const IntervalSet& windows = counted.windows;
  RankFunctions result{.rank = &rank, .marked = counted.marked, .time = LengthOf(windows)};
  result.idle_known = !rank.activities.empty() && !facts.MostKernelsMissing();
  const IntervalSet idle = result.idle_known ? IdleWithin(rank, windows) : IntervalSet();
  const auto training = TrainingThread(*facts.names, rank);
  const HostOps& host = *rank.host;
  for (uint32_t t = 0; t < host.threads.size(); ++t) {
    if (host.frames[t].empty()) continue;
    ThreadSums sums(*facts.names, windows, idle);
    result.threads.push_back({.thread = host.threads[t],
                              .training = training == t,
                              .functions = sums.Sum(host.frames[t])});
  }
  return result;
}

// Of each item of a thread, sorted by start: the innermost frame around its start.
template <class Items>
std::vector<int32_t> FramesAround(const HostOps& host, const Items& items) {
  std::vector<Innermost> threads(host.threads.size());
  std::vector<int32_t> around;
  around.reserve(items.size());
  StopChecks checks;
  for (const auto& item : items) {
    checks.Turn();
    const HostFrames& own = host.frames[item.thread];
    around.push_back(
        threads[item.thread].At(item.start, own.size(), [&](size_t f) { return own[f]; }));
  }
  return around;
}

}  // namespace

bool HasPython(const Facts& facts) {
  return std::ranges::any_of(facts.ranks,
                             [](const RankActivity& r) { return r.host->HasFrames(); });
}

bool RecordedPython(const Facts& facts) {
  return std::ranges::any_of(facts.ranks, &RankActivity::has_python);
}

std::optional<uint32_t> ComputingThread(const StringTable& names, const RankActivity& rank) {
  const auto any = [](uint32_t) { return true; };
  if (const auto marked = MarkedThread(names, *rank.host, any)) return marked;
  const std::map<uint32_t, int64_t> times = OperatorTimes(*rank.host, any);
  return times.empty() ? std::nullopt : std::optional(ThreadOfMost(times));
}

std::optional<uint32_t> TrainingThread(const StringTable& names, const RankActivity& rank) {
  const HostOps& host = *rank.host;
  if (!host.HasFrames()) return std::nullopt;
  const auto has_frames = [&](uint32_t thread) { return !host.frames[thread].empty(); };
  if (const auto marked = MarkedThread(names, host, has_frames)) return marked;
  std::map<uint32_t, int64_t> counts;
  for (const Call& call : host.calls) {
    if (LaunchesKernels(call.role) && has_frames(call.thread)) ++counts[call.thread];
  }
  if (counts.empty()) counts = OperatorTimes(host, has_frames);
  if (!counts.empty()) return ThreadOfMost(counts);
  for (uint32_t t = 0; t < host.frames.size(); ++t) counts[t] = std::ssize(host.frames[t]);
  return ThreadOfMost(counts);
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
    if (around.name != name && OriginOf(around.name) == Origin::kUser) break;
    caller = around.parent;
  }
  return caller;
}

void FrameTimes::Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows) {
  windows_ = AddSaturated(windows_, LengthOf(windows));
  ranks_.insert(rank.rank);
  const HostFrames& frames = rank.host->frames[thread];
  AlongWindows along(windows);
  size_t last = frames.size();  // the owner that `caller` is known of
  StringId caller = kNoString;
  ForEachOwned(frames, [&](size_t f, size_t owner, int64_t start, int64_t end) {
    const int64_t time = along.Within(start, end);
    if (time == 0) return;
    if (owner != last) {
      last = owner;
      const int32_t by = CallerOf(frames, owner);
      const bool is_known = by != kNoRange && !HoldsStep(rank, frames[static_cast<size_t>(by)]);
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
    if (static_cast<double>(owned.time) < share * static_cast<double>(windows_)) continue;
    leaders.push_back({.name = name, .time = owned.time, .ranks = RanksOf(owned.of_ranks)});
    const auto of = [](const auto& within) { return within.second; };
    const auto longest = std::ranges::max_element(owned.within, {}, of);
    if (longest != owned.within.end() && longest->second >= owned.time - longest->second)
      leaders.back().within = longest->first;
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

FrameTimes PythonDuring(const Facts& facts, const std::vector<RankSteps>& ranks,
                        StepCategory category) {
  FrameTimes times(facts);
  const std::span<const StepPart> parts = PartsOf(category);
  for (const RankSteps& own : ranks) {
    const auto thread = TrainingThread(*facts.names, *own.rank);
    if (!thread) continue;
    std::vector<StepWindow> windows;
    for (const StepBreakdown& step : own.steps) windows.push_back(step.window);
    times.Add(*own.rank, *thread, StretchesOf(*own.rank, *facts.names, windows, parts));
  }
  return times;
}

FrameTimes PythonWhileIdle(const Facts& facts, int64_t rank) {
  FrameTimes times(facts);
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank || own.activities.empty() || !own.host->HasFrames()) continue;
    const auto thread = TrainingThread(*facts.names, own);
    if (!thread) continue;
    Interval span{own.activities.front().start, own.activities.front().end};
    for (const Activity& activity : own.activities) span.end = std::max(span.end, activity.end);
    times.Add(own, *thread, IdleWithin(own, {span}));
  }
  return times;
}

void FunctionSum::Add(const FunctionSum& o) {
  calls += o.calls;
  self = AddSaturated(self, o.self);
  total = AddSaturated(total, o.total);
  idle = AddSaturated(idle, o.idle);
}

std::vector<CountedPython> CountedPythonOf(const Facts& facts) {
  const std::vector<RankSteps>& steps = RankStepsOf(facts);
  std::vector<CountedPython> counted;
  if (!steps.empty()) {
    for (const RankSteps& own : steps) {
      if (!own.rank->host->HasFrames()) continue;
      counted.push_back(
          {.rank = own.rank, .marked = !own.whole_recording, .windows = UnionOf(WindowsOf(own))});
    }
    return counted;
  }
  if (!facts.selected.empty()) return counted;  // the steps that were asked for, or nothing
  for (const RankActivity& rank : facts.ranks) {
    if (!rank.host->HasFrames()) continue;
    counted.push_back({.rank = &rank});
    for (const HostFrames& frames : rank.host->frames) {
      for (const HostFrame& frame : frames)
        counted.back().windows.push_back({frame.start, frame.end});
    }
    counted.back().windows = UnionOf(std::move(counted.back().windows));
  }
  return counted;
}

std::vector<RankFunctions> FunctionsOfRanks(const Facts& facts) {
  std::vector<RankFunctions> ranks;
  for (const CountedPython& counted : CountedPythonOf(facts))
    ranks.push_back(FunctionsOf(facts, counted));
  return ranks;
}

std::vector<int32_t> FramesOfCalls(const HostOps& host) { return FramesAround(host, host.calls); }

std::vector<int32_t> FramesOfRanges(const HostOps& host) { return FramesAround(host, host.ranges); }

}  // namespace stepscope
