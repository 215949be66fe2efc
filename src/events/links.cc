// Links events.
#include "events/links.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/sort_runs.h"
#include "base/stop.h"
#include "trace/sparse_walk.h"

namespace stepscope {
namespace {

struct LaunchCall {
  int64_t correlation = 0;
  int64_t start = 0;
  uint32_t event = 0;
};

// By correlation, then start.
std::vector<LaunchCall> CallsOf(const Trace& trace) {
  std::vector<LaunchCall> calls;
  SparseWalk correlations(trace.Ints(IntField::kCorrelation));
  for (EventId e = 0; e < trace.size(); ++e) {
    const auto correlation = correlations.At(e);
    if (trace.kinds()[e] != Kind::kRuntime || correlation.value_or(0) == 0) continue;
    calls.push_back({*correlation, trace.starts()[e], e});
  }
  SortRuns(calls, {}, [](const LaunchCall& c) { return std::tuple(c.correlation, c.start); });
  return calls;
}

// Finds calls by their correlation id; often the next one is asked for.
class CallFinder {
 public:
  explicit CallFinder(std::vector<LaunchCall> calls) : calls_(std::move(calls)) {}

  uint32_t Find(int64_t correlation) {
    ++at_;
    const bool is_next = Is(at_, correlation) && !Is(at_ - 1, correlation);
    if (!is_next) {
      const auto found =
          std::ranges::lower_bound(calls_, correlation, {}, &LaunchCall::correlation);
      at_ = static_cast<size_t>(found - calls_.begin());
    }
    return Is(at_, correlation) ? calls_[at_].event : kNoEvent;
  }

 private:
  bool Is(size_t at, int64_t correlation) const {
    return at < calls_.size() && calls_[at].correlation == correlation;
  }

  std::vector<LaunchCall> calls_;
  size_t at_ = 0;
};

constexpr KindSet kNotOnStack = {Kind::kFlow, Kind::kCounter, Kind::kProfilerWindow};
constexpr KindSet kMayBeAround =
    KindSet{Kind::kRuntime, Kind::kOperator, Kind::kAnnotation} | kPythonFrames;

// One thread's events by start, the longer first.
struct Placed {
  int64_t start = 0, end = 0;
  uint32_t event = 0;
};

std::vector<std::vector<Placed>> ByThread(const Trace& trace) {
  std::vector<std::vector<Placed>> threads(trace.tracks.size());
  StopChecks checks;
  for (EventId e = 0; e < trace.size(); ++e) {
    checks.Turn();
    const TrackId track = trace.tracks_of()[e];
    if (trace.tracks[track].is_stream || kNotOnStack.Has(trace.kinds()[e])) continue;
    const int64_t start = trace.starts()[e];
    threads[track].push_back({start, start + trace.durations()[e], e});
  }
  return threads;
}

// Goes through a thread's events in order, with those around the present one on a stack.
class Nester {
 public:
  Nester(const Trace& trace, Nesting& out) : trace_(trace), out_(out) {}

  void Take(const Placed& placed) {
    const bool stays = kMayBeAround.Has(trace_.kinds()[placed.event]);
    // What it overlaps and outlasts is not around it, nor the innermost around what follows: so
    // those on the stack nest, and each search is short.
    while (!stack_.empty() &&
           (Ends(stack_.back(), placed) || (stays && stack_.back().end < placed.end))) {
      stack_.pop_back();
    }
    const auto around = std::ranges::partition_point(
        stack_, [&](const Placed& outer) { return outer.end >= placed.end; });
    if (around != stack_.begin()) Link(placed.event, std::prev(around)->event);
    if (stays) stack_.push_back(placed);
  }
  void NextThread() { stack_.clear(); }

 private:
  // A moment at the very end of an event is still in it.
  static bool Ends(const Placed& last, const Placed& next) {
    return last.end < next.start || (last.end == next.start && next.end > next.start);
  }
  void Link(uint32_t event, uint32_t parent) {
    out_.parents[event] = parent;
    out_.depths[event] = out_.depths[parent] + 1;
    const bool is_operator = trace_.kinds()[parent] == Kind::kOperator;
    out_.operators[event] = is_operator ? parent : out_.operators[parent];
  }

  const Trace& trace_;
  Nesting& out_;
  std::vector<Placed> stack_;
};

}  // namespace

std::vector<uint32_t> LaunchesOf(const Trace& trace) {
  std::vector<uint32_t> launches(trace.size(), kNoEvent);
  CallFinder calls(CallsOf(trace));
  SparseWalk correlations(trace.Ints(IntField::kCorrelation));
  StopChecks checks;
  for (EventId e = 0; e < trace.size(); ++e) {
    checks.Turn();
    const auto correlation = correlations.At(e);
    if (correlation && IsDeviceActivity(trace.kinds()[e])) launches[e] = calls.Find(*correlation);
  }
  return launches;
}

Nesting NestingOf(const Trace& trace) {
  Nesting nesting{.parents = std::vector<uint32_t>(trace.size(), kNoEvent),
                  .operators = std::vector<uint32_t>(trace.size(), kNoEvent),
                  .depths = std::vector<uint32_t>(trace.size(), 0)};
  Nester nester(trace, nesting);
  StopChecks checks;
  for (std::vector<Placed>& thread : ByThread(trace)) {
    SortRuns(thread, [](const Placed& a, const Placed& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    for (const Placed& placed : thread) {
      checks.Turn();
      nester.Take(placed);
    }
    nester.NextThread();
  }
  return nesting;
}

}  // namespace stepscope
