// Walks the frames of each thread along windows.
#include "facts/derived/python_time.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/innermost.h"
#include "base/saturate.h"
#include "facts/derived/along_windows.h"
#include "facts/derived/on_demand.h"

namespace stepscope {
namespace {

constexpr int kFurthestCaller = 8;  // built-in functions that call one another

uint32_t ThreadOfMost(const std::map<uint32_t, int64_t>& counts) {
  return std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
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

}  // namespace

bool HasPython(const Facts& facts) {
  return std::ranges::any_of(facts.ranks,
                             [](const RankActivity& r) { return r.host->HasFrames(); });
}

bool RecordedPython(const Facts& facts) {
  return std::ranges::any_of(facts.ranks, &RankActivity::has_python);
}

std::optional<uint32_t> TrainingThread(const StringTable& names, const RankActivity& rank) {
  const HostOps& host = *rank.host;
  if (!host.HasFrames()) return std::nullopt;
  for (const HostRange& range : host.ranges) {
    const RangeDetail* detail = host.DetailOf(range);
    const bool is_step =
        (detail != nullptr && detail->step >= 0) || StepNumber(names[range.name]) >= 0;
    if (is_step && !host.frames[range.thread].empty()) return range.thread;
  }
  std::map<uint32_t, int64_t> counts;
  for (const Call& call : host.calls) {
    if (LaunchesKernels(call.role) && !host.frames[call.thread].empty()) ++counts[call.thread];
  }
  if (!counts.empty()) return ThreadOfMost(counts);
  for (uint32_t t = 0; t < host.frames.size(); ++t) counts[t] = std::ssize(host.frames[t]);
  return ThreadOfMost(counts);
}

bool FrameTimes::IsBuiltIn(StringId name) {
  const auto [at, is_new] = built_in_.try_emplace(name, false);
  if (is_new) at->second = ParseFrameName(names_[name]).file.empty();
  return at->second;
}

FrameTimes::Key FrameTimes::KeyOf(const HostFrames& frames, size_t f) {
  HostFrame frame = frames[f];
  Key key{frame.name, kNoString};
  if (!IsBuiltIn(frame.name)) return key;
  for (int i = 0; i < kFurthestCaller && frame.parent != kNoRange; ++i) {
    frame = frames[static_cast<size_t>(frame.parent)];
    if (IsBuiltIn(frame.name)) continue;
    key.caller = frame.name;
    break;
  }
  return key;
}

void FrameTimes::Add(const RankActivity& rank, uint32_t thread, const IntervalSet& windows) {
  windows_ = AddSaturated(windows_, LengthOf(windows));
  const HostFrames& frames = rank.host->frames[thread];
  AlongWindows along(windows);
  const auto nothing = [](size_t) {};
  WalkFrames(
      frames, nothing,
      [&](size_t f, int64_t start, int64_t end) {
        const int64_t time = along.Within(start, end);
        if (time == 0) return;
        int64_t& sum = times_[KeyOf(frames, f)];
        sum = AddSaturated(sum, time);
      },
      nothing);
}

std::vector<FrameTimes::Leader> FrameTimes::Leaders(size_t most, double share) const {
  std::map<std::pair<FrameName, FrameName>, int64_t> merged;
  for (const auto& [key, time] : times_) {
    FrameName caller;
    if (key.caller != kNoString) caller = ParseFrameName(names_[key.caller]);
    int64_t& sum = merged[{ParseFrameName(names_[key.frame]), std::move(caller)}];
    sum = AddSaturated(sum, time);
  }
  std::vector<Leader> leaders;
  for (const auto& [names, time] : merged) {
    if (static_cast<double>(time) >= share * static_cast<double>(windows_))
      leaders.push_back({names.first, names.second, time});
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
  const std::vector<RankSteps>& steps = OnDemand(facts).Steps(facts);
  std::vector<CountedPython> counted;
  if (!steps.empty()) {
    for (const RankSteps& own : steps) {
      if (!own.rank->host->HasFrames()) continue;
      counted.push_back({.rank = own.rank, .marked = !own.whole_recording});
      for (const StepBreakdown& step : own.steps)
        counted.back().windows.push_back({step.window.start, step.window.end});
      counted.back().windows = UnionOf(std::move(counted.back().windows));
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

std::vector<int32_t> FramesOfCalls(const HostOps& host) {
  std::vector<Innermost> threads(host.threads.size());
  std::vector<int32_t> frames;
  frames.reserve(host.calls.size());
  StopChecks checks;
  for (const Call& call : host.calls) {
    checks.Turn();
    const HostFrames& own = host.frames[call.thread];
    frames.push_back(
        threads[call.thread].At(call.start, own.size(), [&](size_t f) { return own[f]; }));
  }
  return frames;
}

IntervalSet IdleWithin(const RankActivity& rank, const IntervalSet& windows) {
  IntervalSet idle;
  int64_t until = INT64_MIN;
  for (const Activity& activity : rank.activities) {
    if (activity.start > until) idle.push_back({until, activity.start});
    until = std::max(until, activity.end);
  }
  idle.push_back({until, INT64_MAX});
  return Intersection(windows, idle);
}

}  // namespace stepscope
