// Counts events, and takes the steps about a change.
#include "facts/derived/replay/replay_steps.h"

#include <algorithm>

#include "facts/derived/steps/step_changes.h"
#include "facts/paths/path_window.h"

namespace stepscope {
namespace {

constexpr size_t kMostEvents = 2'000'000, kLeastSteps = 16;

size_t EventsOf(const JobGraph& graph) {
  size_t events = 0;
  for (const JobRank& job : graph.ranks) {
    const HostOps& host = *job.rank->host;
    events += job.rank->activities.size() + host.calls.size() + host.ranges.size();
  }
  return events;
}

}  // namespace

StepRun ChooseRun(std::span<const int64_t> steps, size_t events, std::optional<int64_t> since) {
  if (events <= kMostEvents || steps.size() <= kLeastSteps) return {};
  const double share = static_cast<double>(kMostEvents) / static_cast<double>(events);
  const auto fits = static_cast<size_t>(share * static_cast<double>(steps.size()));
  const size_t count = std::max(kLeastSteps, fits);
  size_t first = steps.size() - count;
  if (since) {
    const auto at = static_cast<size_t>(std::ranges::lower_bound(steps, *since) - steps.begin());
    first = std::min(at - std::min(at, count / 2), first);
  }
  return {steps[first], steps[first + count - 1]};
}

StepRun StepsToReplay(const Facts& facts, const JobGraph& graph) {
  const auto& change = StepChangesOf(facts).step_time;
  return ChooseRun(graph.steps, EventsOf(graph),
                   change ? std::optional(change->since) : std::nullopt);
}

PathWindow WindowOfSteps(const RankActivity& rank, const StepRun& steps) {
  PathWindow window = WindowOfAll(rank).window;
  if (rank.steps.empty()) return window;
  const PathWindow whole = window;
  window.start = whole.end;
  window.end = whole.start;
  const auto is_in = [&](int32_t step) {
    return step != kNoStep && steps.Has(rank.steps[static_cast<size_t>(step)].number);
  };
  for (const Step& step : rank.steps) {
    if (!steps.Has(step.number)) continue;
    window.start = std::min(window.start, step.start);
    window.end = std::max(window.end, step.end);
  }
  for (const Activity& activity : rank.activities)
    if (is_in(activity.step)) window.end = std::max(window.end, activity.end);
  if (window.start >= window.end) return whole;
  window.host_end = window.launched_until = window.end;
  return window;
}

}  // namespace stepscope
