// Walks the frames of each thread along windows.
#include "facts/derived/python/python_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/innermost.h"
#include "base/saturate.h"
#include "facts/activity/idle_within.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/walk_frames.h"
#include "facts/derived/steps/step_categories.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

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

FrameTimes PythonDuring(const Facts& facts, const std::vector<RankSteps>& ranks,
                        StepCategory category) {
  FrameTimes times(facts, FrameTimes::Loops::kGiveWay);
  for (const RankSteps& own : ranks) {
    const auto thread = TrainingThread(*facts.names, *own.rank);
    if (thread) times.Add(*own.rank, *thread, StretchesOf(own, *facts.names, category));
  }
  return times;
}

FrameTimes PythonWhileIdle(const Facts& facts, int64_t rank, std::optional<int64_t> since) {
  FrameTimes times(facts, FrameTimes::Loops::kGiveWay);
  for (const RankActivity& own : facts.ranks) {
    if (own.rank != rank || own.activities.empty() || !own.host->HasFrames()) continue;
    const auto thread = TrainingThread(*facts.names, own);
    if (!thread) continue;
    Interval span{own.activities.front().start, own.activities.front().end};
    for (const Activity& activity : own.activities) span.end = std::max(span.end, activity.end);
    IntervalSet idle = IdleWithin(own, {span});
    const auto steps = std::ranges::find(RankStepsOf(facts), &own, &RankSteps::rank);
    if (since && steps != RankStepsOf(facts).end())
      idle = Intersection(idle, UnionOf(WindowsOf(*steps, [&](int64_t n) { return n >= *since; })));
    times.Add(own, *thread, idle);
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
