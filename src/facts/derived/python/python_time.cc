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

// Numbers the names that it is asked for from 0.
class NameNumbers {
 public:
  explicit NameNumbers(size_t names) : numbers_(names, kNone) {}

  uint32_t Of(StringId name) {
    uint32_t& number = numbers_[name];
    if (number == kNone) {
      number = static_cast<uint32_t>(names_.size());
      names_.push_back(name);
    }
    return number;
  }
  // By their numbers.
  const std::vector<StringId>& names() const { return names_; }
  void Clear() {
    for (const StringId name : names_) numbers_[name] = kNone;
    names_.clear();
  }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> numbers_;
  std::vector<StringId> names_;
};

// Adds up the functions of one thread.
class ThreadSums {
 public:
  // `numbers` are for its use alone, until the next one is made of them.
  ThreadSums(const StringTable& names, NameNumbers& numbers, const IntervalSet& windows,
             const IntervalSet& idle)
      : names_(names), numbers_(numbers), windows_(windows), anywhere_(windows), idle_(idle) {
    numbers_.Clear();
  }

  std::vector<std::pair<FrameName, FunctionSum>> Sum(const HostFrames& frames) {
    AlongWindows along(windows_), along_idle(idle_);
    WalkFrames(
        frames, [&](size_t, const HostFrame& frame) { Enter(frame); },
        [&](size_t, const HostFrame& frame, int64_t start, int64_t end) {
          FunctionSum& sum = sums_[numbers_.Of(frame.name)].sum;
          sum.self = AddSaturated(sum.self, along.Within(start, end));
          sum.idle = AddSaturated(sum.idle, along_idle.Within(start, end));
        },
        [&](size_t, const HostFrame& frame) { --sums_[numbers_.Of(frame.name)].open; });
    std::map<FrameName, FunctionSum> merged;
    for (size_t n = 0; n < sums_.size(); ++n) {
      const FunctionSum& sum = sums_[n].sum;
      if (sum.calls == 0 && sum.total <= 0) continue;
      merged[ParseFrameName(names_[numbers_.names()[n]])].Add(sum);
    }
    return {merged.begin(), merged.end()};
  }

 private:
  struct OfName {
    FunctionSum sum;
    int64_t open = 0;  // calls that have not ended
  };

  void Enter(const HostFrame& frame) {
    const uint32_t number = numbers_.Of(frame.name);
    if (number == sums_.size()) sums_.emplace_back();
    OfName& of = sums_[number];
    if (anywhere_.Holds(frame.start)) ++of.sum.calls;
    if (of.open++ > 0) return;
    of.sum.total = AddSaturated(of.sum.total, anywhere_.Within(frame.start, frame.end));
  }

  const StringTable& names_;
  NameNumbers& numbers_;
  const IntervalSet& windows_;
  const AnywhereInWindows anywhere_;
  const IntervalSet& idle_;
  std::vector<OfName> sums_;  // by the names' numbers
};

RankFunctions FunctionsOf(const Facts& facts, const CountedPython& counted, NameNumbers& numbers) {
  const RankActivity& rank = *counted.rank;
  const IntervalSet& windows = counted.windows;
  RankFunctions result{.rank = &rank, .marked = counted.marked, .time = LengthOf(windows)};
  result.idle_known = !rank.activities.empty() && !facts.MostKernelsMissing();
  const IntervalSet idle = result.idle_known ? IdleWithin(rank, windows) : IntervalSet();
  const auto training = TrainingThread(*facts.names, rank);
  const HostOps& host = *rank.host;
  for (uint32_t t = 0; t < host.threads.size(); ++t) {
    if (host.frames[t].empty()) continue;
    ThreadSums sums(*facts.names, numbers, windows, idle);
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
  NameNumbers numbers(facts.names->size());
  for (const CountedPython& counted : CountedPythonOf(facts))
    ranks.push_back(FunctionsOf(facts, counted, numbers));
  return ranks;
}

std::vector<int32_t> FramesOfCalls(const HostOps& host) { return FramesAround(host, host.calls); }

std::vector<int32_t> FramesOfRanges(const HostOps& host) { return FramesAround(host, host.ranges); }

}  // namespace stepscope
