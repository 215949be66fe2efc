// Finds the launches within the ranges of collectives, then their kernels.
#include "trace/collective_calls.h"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/innermost.h"
#include "base/intervals.h"
#include "base/stop.h"
#include "trace/communication_names.h"
#include "trace/kernel_vocabulary.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

struct Annotation {
  int64_t start = 0, end = 0;
  bool of_collective = false;
};

struct LaunchTime {
  int64_t start = 0;
  int64_t correlation = 0;
};

// A thread of the host that calls collectives.
struct Caller {
  std::vector<Annotation> ranges;    // all annotations
  IntervalSet collectives;           // the time in collectives' ranges
  std::vector<LaunchTime> launches;  // within that time
};

// Asks about each name once.
template <class Ask>
class AskedOnce {
 public:
  AskedOnce(const StringTable& names, Ask ask)
      : names_(names), ask_(ask), known_(names.size(), -1) {}
  bool operator()(StringId name) {
    if (known_[name] < 0) known_[name] = ask_(names_[name]) ? 1 : 0;
    return known_[name] == 1;
  }

 private:
  const StringTable& names_;
  Ask ask_;
  std::vector<int8_t> known_;
};

bool AnyNameIsACollectiveCall(const StringTable& names) {
  for (StringId name = 0; name < names.size(); ++name) {
    if (IsCollectiveCall(names[name])) return true;
  }
  return false;
}

class Marker {
 public:
  explicit Marker(Trace& trace) : trace_(trace) {}

  void Mark() {
    FindCallers();
    if (callers_.empty()) return;
    FindLaunches();
    for (auto& [track, caller] : callers_) TakeLaunchesOf(caller);
    if (!correlations_.empty()) MarkKernels();
  }

 private:
  void FindCallers() {
    AskedOnce of_collective(trace_.strings, &IsCollectiveCall);
    StopChecks checks;
    for (EventId e = 0; e < trace_.size(); ++e) {
      checks.Turn();
      if (trace_.kinds()[e] != Kind::kAnnotation) continue;
      const int64_t start = trace_.starts()[e];
      callers_[trace_.tracks_of()[e]].ranges.push_back(
          {start, start + trace_.durations()[e], of_collective(trace_.names()[e])});
    }
    for (auto& [track, caller] : callers_) {
      std::vector<Interval> collectives;
      for (const Annotation& range : caller.ranges) {
        if (range.of_collective) collectives.push_back({range.start, range.end});
      }
      caller.collectives = UnionOf(std::move(collectives));
    }
    std::erase_if(callers_, [](const auto& entry) { return entry.second.collectives.empty(); });
  }

  void FindLaunches() {
    AskedOnce is_launch(trace_.strings, [](std::string_view name) {
      return RoleOfCall(name) == CallRole::kLaunch;
    });
    SparseWalk correlations(trace_.Ints(IntField::kCorrelation));
    StopChecks checks;
    for (EventId e = 0; e < trace_.size(); ++e) {
      checks.Turn();
      if (trace_.kinds()[e] != Kind::kRuntime) continue;
      const int64_t correlation = correlations.At(e).value_or(0);
      const auto caller = callers_.find(trace_.tracks_of()[e]);
      if (correlation <= 0 || caller == callers_.end() || !is_launch(trace_.names()[e])) continue;
      const int64_t start = trace_.starts()[e];
      if (IsWithin(caller->second.collectives, start))
        caller->second.launches.push_back({start, correlation});
    }
  }

  static bool IsWithin(const IntervalSet& set, int64_t time) {
    const auto after = std::ranges::upper_bound(set, time, {}, &Interval::start);
    return after != set.begin() && time < std::prev(after)->end;
  }

  void TakeLaunchesOf(Caller& caller) {
    std::ranges::sort(caller.ranges, [](const Annotation& a, const Annotation& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    std::ranges::sort(caller.launches, {}, &LaunchTime::start);
    Innermost innermost;
    for (const LaunchTime& launch : caller.launches) {
      const int32_t at = innermost.At(launch.start, caller.ranges.size(),
                                      [&](size_t r) { return caller.ranges[r]; });
      if (at >= 0 && caller.ranges[static_cast<size_t>(at)].of_collective)
        correlations_.insert(launch.correlation);
    }
  }

  void MarkKernels() {
    AskedOnce computes(trace_.strings, &IsComputeName);
    SparseWalk correlations(trace_.Ints(IntField::kCorrelation));
    int64_t marked = 0;
    StopChecks checks;
    for (EventId e = 0; e < trace_.size(); ++e) {
      checks.Turn();
      if (trace_.kinds()[e] != Kind::kCompute) continue;
      if (!correlations_.contains(correlations.At(e).value_or(0))) continue;
      if (computes(trace_.names()[e])) continue;
      trace_.SetKind(e, Kind::kCommunication);
      ++marked;
    }
    if (marked > 0) trace_.notes.Add(NoteKind::kCommunicationByCall, marked);
  }

  Trace& trace_;
  std::map<TrackId, Caller> callers_;
  std::unordered_set<int64_t> correlations_;  // of what collectives launched
};

}  // namespace

void MarkKernelsOfCollectiveCalls(Trace& trace) {
  if (AnyNameIsACollectiveCall(trace.strings)) Marker(trace).Mark();
}

}  // namespace stepscope
