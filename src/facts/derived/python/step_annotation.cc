// Sums annotations by name in two sets of windows.
#include "facts/derived/python/step_annotation.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/counted_once.h"
#include "facts/derived/python/python_time.h"

namespace stepscope {
namespace {

constexpr double kNearlyAll = 0.9;     // of the largest excess
constexpr double kThroughout = 0.9;    // of the other windows
constexpr double kMostIsExcess = 0.5;  // of what it takes in slow windows

// Calls visit(range) for the annotations of the rank's computing thread, in order, but for what
// marks its steps.
template <class Visit>
void ForEachAnnotation(const Facts& facts, const RankActivity& rank, const Visit& visit) {
  const auto thread = ComputingThread(*facts.names, rank);
  if (!thread) return;
  StopChecks checks;
  for (const HostRange& range : rank.host->ranges) {
    checks.Turn();
    if (range.kind != Kind::kAnnotation || range.thread != *thread) continue;
    const auto step = std::ranges::lower_bound(rank.steps, range.start, {}, &Step::start);
    const bool marks =
        step != rank.steps.end() && step->start == range.start && step->end <= range.end;
    if (!marks) visit(range);
  }
}

// ns within windows by name; an annotation within one of the same name counts once.
std::unordered_map<StringId, int64_t> TimesIn(const Facts& facts, const RankWindows& where) {
  const AnywhereInWindows within(where.windows);
  std::unordered_map<StringId, int64_t> times;
  CountedOnce<> once;
  ForEachAnnotation(facts, *where.rank, [&](const HostRange& range) {
    const Interval rest = once.Rest(range.name, range.start, range.end);
    int64_t& time = times[range.name];
    time = AddSaturated(time, within.Within(rest.start, rest.end));
  });
  return times;
}

}  // namespace

std::optional<FrameTimes::Leader> AnnotationBehind(const Facts& facts, const RankWindows& slow,
                                                   const RankWindows& others, int64_t least) {
  const std::unordered_map<StringId, int64_t> in_slow = TimesIn(facts, slow);
  const std::unordered_map<StringId, int64_t> in_others = TimesIn(facts, others);
  struct Candidate {
    StringId name;
    int64_t mean, excess;  // ns per window
  };
  std::vector<Candidate> candidates;
  int64_t most = 0;
  const double throughout = kThroughout * static_cast<double>(LengthOf(others.windows));
  for (const auto& [name, time] : in_slow) {
    const auto other = in_others.find(name);
    const int64_t of_others = other == in_others.end() ? 0 : other->second;
    const int64_t mean = time / std::ssize(slow.windows);
    const int64_t excess = mean - of_others / std::ssize(others.windows);
    const bool is_most = static_cast<double>(excess) >= kMostIsExcess * static_cast<double>(mean);
    if (excess < least || excess <= 0 || !is_most) continue;
    if (static_cast<double>(of_others) >= throughout) continue;
    candidates.push_back({name, mean, excess});
    most = std::max(most, excess);
  }
  std::erase_if(candidates, [&](const Candidate& c) {
    return static_cast<double>(c.excess) < kNearlyAll * static_cast<double>(most);
  });
  if (candidates.empty()) return std::nullopt;
  const StringTable& names = *facts.names;
  const auto& innermost = *std::ranges::min_element(
      candidates, {}, [&](const Candidate& c) { return std::pair(c.mean, names[c.name]); });
  return FrameTimes::Leader{.name = {.function = std::string(names[innermost.name])},
                            .time = innermost.excess};
}

std::vector<Interval> CallsOfAnnotation(const Facts& facts, const RankActivity& rank,
                                        const FrameName& annotation) {
  std::vector<Interval> calls;
  if (!annotation.file.empty()) return calls;
  ForEachAnnotation(facts, rank, [&](const HostRange& range) {
    if ((*facts.names)[range.name] == annotation.function)
      calls.push_back({range.start, range.end});
  });
  return calls;
}

}  // namespace stepscope
