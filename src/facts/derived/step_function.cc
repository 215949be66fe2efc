// Sums functions, with what they call, in two sets of windows.
#include "facts/derived/step_function.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/along_windows.h"
#include "facts/derived/python_time.h"
#include "trace/library_frames.h"

namespace stepscope {
namespace {

struct Sum {
  int64_t slow = 0, others = 0;  // ns
  int64_t first = 0;             // when it first ran in a slow window
};
using Sums = std::unordered_map<StringId, Sum>;

Sums SumsOf(const HostFrames& frames, const IntervalSet& slow, const IntervalSet& others) {
  const AnywhereInWindows in_slow(slow), in_others(others);
  Sums sums;
  StopChecks checks;
  for (const HostFrame& frame : frames) {
    checks.Turn();
    const int64_t own = in_slow.Within(frame.start, frame.end);
    const int64_t other = in_others.Within(frame.start, frame.end);
    if (own <= 0 && other <= 0) continue;
    Sum& sum = sums[frame.name];
    if (own > 0 && sum.slow == 0) sum.first = frame.start;
    sum.slow = AddSaturated(sum.slow, own);
    sum.others = AddSaturated(sum.others, other);
  }
  return sums;
}

}  // namespace

std::optional<FrameName> FunctionBehind(const Facts& facts, const RankActivity& rank,
                                        const IntervalSet& slow, const IntervalSet& others,
                                        int64_t least) {
  const auto thread = TrainingThread(*facts.names, rank);
  if (!thread || slow.empty() || others.empty()) return std::nullopt;
  const auto slow_count = std::ssize(slow), other_count = std::ssize(others);
  std::optional<FrameName> behind;
  std::tuple<bool, bool, int64_t, int64_t, StringId> best;
  for (const auto& [name, sum] : SumsOf(rank.host->frames[*thread], slow, others)) {
    if (sum.slow / slow_count - sum.others / other_count < least) continue;
    FrameName frame = ParseFrameName((*facts.names)[name]);
    // Built in, or "<lambda>", "<listcomp>": no name to look for.
    if (frame.file.empty() || frame.function.starts_with('<')) continue;
    const bool is_new = sum.others == 0;
    const std::tuple order(IsOfLibrary(frame), !is_new, is_new ? -sum.slow : sum.slow, sum.first,
                           name);
    if (behind && order >= best) continue;
    best = order;
    behind = std::move(frame);
  }
  return behind;
}

}  // namespace stepscope
