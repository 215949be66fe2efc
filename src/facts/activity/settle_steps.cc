// Sorts a rank's steps, and finds those of loops that mark none.
#include "facts/activity/settle_steps.h"

#include <algorithm>
#include <tuple>

namespace stepscope {
namespace {

// Counts steps of which nothing is left: threads that step side by side have their steps cut where
// the step before ends, so that the times of steps add up to the trace's.
void NoteStepsWithinSteps(const std::vector<Step>& steps, Notes& notes) {
  int64_t within = 0;
  int64_t end = steps.front().start;
  for (const Step& step : steps) {
    within += step.end <= end && step.end > step.start ? 1 : 0;
    end = std::max(end, step.end);
  }
  if (within > 0) notes.Add(NoteKind::kStepWithinStep, within);
}

}  // namespace

std::vector<Step> StepsFromOptimizer(const HostRanges& ranges, Trace& trace) {
  std::map<StringId, std::vector<int64_t>> ends;
  for (const HostRange& range : ranges) {
    if (range.kind == Kind::kAnnotation && trace.strings[range.name].starts_with("Optimizer.step#"))
      ends[range.name].push_back(range.end);
  }
  std::erase_if(ends, [](const auto& of_one) { return of_one.second.size() < 2; });
  if (ends.empty()) return {};
  auto& [name, rarest] =
      *std::ranges::min_element(ends, {}, [](const auto& of_one) { return of_one.second.size(); });
  std::ranges::sort(rarest);
  std::vector<Step> steps;
  for (size_t i = 1; i < rarest.size(); ++i)
    steps.push_back({static_cast<int64_t>(i - 1), rarest[i - 1], rarest[i], true});
  trace.notes.Add(NoteKind::kStepsFromOptimizer, static_cast<int64_t>(steps.size()),
                  trace.strings[name]);
  return steps;
}

std::map<int64_t, int32_t> SettleSteps(std::vector<Step>& steps, Notes& notes) {
  std::ranges::sort(steps, {}, [](const Step& s) { return std::tuple(s.start, s.end, s.number); });
  std::map<int64_t, int64_t> seen;
  const auto repeated = std::erase_if(steps, [&](const Step& s) { return seen[s.number]++ > 0; });
  if (repeated > 0) notes.Add(NoteKind::kRepeatedStep, static_cast<int64_t>(repeated));
  if (!steps.empty()) NoteStepsWithinSteps(steps, notes);
  std::map<int64_t, int32_t> by_number;
  for (size_t s = 0; s < steps.size(); ++s) by_number[steps[s].number] = static_cast<int32_t>(s);
  return by_number;
}

void DropCutSteps(const HostRanges& ranges, std::vector<Step>& steps) {
  constexpr double kLonger = 0.1;  // of the step
  std::vector<int64_t> last;       // by step: when its last operator ends
  for (const Step& step : steps) last.push_back(step.start);
  for (const HostRange& range : ranges) {
    if (range.kind != Kind::kOperator) continue;
    const auto after = std::ranges::upper_bound(steps, range.start, {}, &Step::start);
    if (after == steps.begin()) continue;
    int64_t& end = last[static_cast<size_t>(after - steps.begin()) - 1];
    end = std::max(end, range.end);
  }
  const auto rest = [&](size_t s) {
    const auto whole = static_cast<double>(std::max<int64_t>(steps[s].end - steps[s].start, 1));
    return static_cast<double>(steps[s].end - last[s]) / whole;
  };
  // From the last step with operators on: those after it have none.
  size_t from = steps.size();
  while (from > 0 && last[from - 1] == steps[from - 1].start) --from;
  if (from < 2) return;
  double longest = 0;
  for (size_t s = 0; s + 1 < from; ++s) longest = std::max(longest, rest(s));
  if (rest(from - 1) > longest + kLonger) --from;
  steps.resize(from);
}

}  // namespace stepscope
