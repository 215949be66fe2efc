// Looks for the mark of a step on a thread, then for what most of the work is on.
#include "facts/derived/python/training_thread.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "base/stop.h"
#include "trace/vocabulary.h"

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

}  // namespace

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

IntervalSet OperatorsOf(const HostOps& host, uint32_t thread) {
  std::vector<Interval> operators;
  StopChecks checks;
  for (const HostRange& range : host.ranges) {
    checks.Turn();
    if (range.thread == thread && range.kind == Kind::kOperator)
      operators.push_back({range.start, range.end});
  }
  return UnionOf(std::move(operators));
}

}  // namespace stepscope
