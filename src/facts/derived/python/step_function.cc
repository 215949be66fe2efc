// Sums functions, with what they call, in two sets of windows.
#include "facts/derived/python/step_function.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

// Of what a function takes in slow windows, the excess is this much of the largest such part, or
// more: what calls one function, and little else, is as near to the cause as that function.
constexpr double kAsNear = 0.9;
// A library's functions run everywhere: one is behind the excess only where that is most of it.
constexpr double kOfLibrary = 0.8;
constexpr double kThroughout = 0.9;  // of the other windows: the training loop, and what calls it

struct Sum {
  int64_t slow = 0, others = 0;  // ns
  int64_t first = INT64_MAX;     // when it first ran in a slow window
};
using Sums = std::unordered_map<StringId, Sum>;

// Adds what each function takes within windows, with what it calls; once where it calls itself.
template <class Add>
void AddUp(const HostFrames& frames, const IntervalSet& windows, const Add& add) {
  const AnywhereInWindows within(windows);
  std::unordered_map<StringId, int64_t> until;
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    int64_t& counted = until.try_emplace(frame.name, INT64_MIN).first->second;
    const int64_t start = std::max(frame.start, counted);
    if (start >= frame.end) continue;
    counted = frame.end;
    const int64_t time = within.Within(start, frame.end);
    if (time > 0) add(frame, time);
  }
}

struct Candidate {
  FrameName frame;
  bool of_library = false;
  int64_t more = 0;  // ns per window
  double part = 0;   // of its time in slow windows, that is excess
  Sum sum;
  StringId name = kNoString;
};

const Candidate& Outermost(const std::vector<Candidate>& some) {
  const auto order = [](const Candidate& c) {
    return std::tuple(-c.sum.slow, c.sum.first, c.name);
  };
  return *std::ranges::min_element(some, {}, order);
}

// On the training thread.
std::vector<Interval> CallsOf(const Facts& facts, const RankActivity& rank,
                              const FrameName& function) {
  std::vector<Interval> calls;
  const auto thread = TrainingThread(*facts.names, rank);
  if (!thread) return calls;
  std::unordered_map<StringId, bool> wanted;
  for (const HostFrame& frame : rank.host->frames[*thread]) {
    const auto [at, is_new] = wanted.try_emplace(frame.name, false);
    if (is_new) at->second = ParseFrameName((*facts.names)[frame.name]) == function;
    if (at->second) calls.push_back({frame.start, frame.end});
  }
  return calls;
}

// The outermost of those that are as near to the cause as any.
std::optional<FrameTimes::Leader> Nearest(std::vector<Candidate> all) {
  if (std::ranges::any_of(all, [](const Candidate& c) { return !c.of_library; }))
    std::erase_if(all, [](const Candidate& c) { return c.of_library; });
  if (all.empty()) return std::nullopt;
  const double most = std::ranges::max(all, {}, &Candidate::part).part;
  std::erase_if(all, [&](const Candidate& c) { return c.part < kAsNear * most; });
  const Candidate& outermost = Outermost(all);
  std::vector<Candidate> alone;  // in slow windows
  std::ranges::copy_if(all, std::back_inserter(alone),
                       [](const Candidate& c) { return c.sum.others == 0; });
  if (alone.empty()) return FrameTimes::Leader{.name = outermost.frame, .time = outermost.more};
  const Candidate& nearest = Outermost(alone);
  FrameTimes::Leader leader{.name = nearest.frame, .time = nearest.more};
  if (outermost.sum.others > 0) leader.caller = outermost.frame;
  return leader;
}

}  // namespace

std::optional<FrameTimes::Leader> FunctionBehind(const Facts& facts, const RankWindows& slow,
                                                 const RankWindows& others, int64_t least) {
  const auto thread = TrainingThread(*facts.names, *slow.rank);
  const auto of_others = TrainingThread(*facts.names, *others.rank);
  if (!thread || !of_others || slow.windows.empty() || others.windows.empty()) return std::nullopt;
  Sums sums;
  AddUp(slow.rank->host->frames[*thread], slow.windows, [&](const HostFrame& frame, int64_t time) {
    Sum& sum = sums[frame.name];
    sum.first = std::min(sum.first, frame.start);
    sum.slow = AddSaturated(sum.slow, time);
  });
  AddUp(others.rank->host->frames[*of_others], others.windows,
        [&](const HostFrame& frame, int64_t time) {
          Sum& sum = sums[frame.name];
          sum.others = AddSaturated(sum.others, time);
        });
  const auto throughout = kThroughout * static_cast<double>(LengthOf(others.windows));
  std::vector<Candidate> candidates;
  for (const auto& [name, sum] : sums) {
    const int64_t mean = sum.slow / std::ssize(slow.windows);
    const int64_t excess = mean - sum.others / std::ssize(others.windows);
    if (excess < least || excess <= 0 || static_cast<double>(sum.others) >= throughout) continue;
    FrameName frame = ParseFrameName((*facts.names)[name]);
    // Built in, or "<lambda>", "<listcomp>", or private to a library: no name to look for.
    if (frame.file.empty() || frame.function.starts_with('<')) continue;
    const bool of_library = IsOfLibrary(frame);
    if (of_library && frame.function.starts_with('_')) continue;
    const double part = static_cast<double>(excess) / static_cast<double>(mean);
    if (of_library && part < kOfLibrary) continue;
    candidates.push_back({std::move(frame), of_library, excess, part, sum, name});
  }
  return Nearest(std::move(candidates));
}

std::vector<int64_t> TimesIn(const Facts& facts, const RankWindows& windows,
                             const FrameName& function) {
  std::vector<int64_t> times(windows.windows.size());
  const IntervalSet within = UnionOf(CallsOf(facts, *windows.rank, function));
  const AnywhereInWindows in_calls(within);
  for (size_t w = 0; w < times.size(); ++w)
    times[w] = in_calls.Within(windows.windows[w].start, windows.windows[w].end);
  return times;
}

std::vector<int64_t> CallTimes(const Facts& facts, const RankActivity& rank,
                               const FrameName& function) {
  std::vector<int64_t> times;
  for (const Interval& call : CallsOf(facts, rank, function))
    times.push_back(call.end - call.start);
  return times;
}

}  // namespace stepscope
