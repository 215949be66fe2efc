// Looks at what runs between each two steps.
#include "ingest/xplane/xplane_turns.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/saturate.h"

namespace stepscope {
namespace {

// Between a step and the next.
struct Between {
  int64_t training = 0;          // ns in calls that compute gradients
  std::set<StringId> functions;  // those that compute none
};

// Which step a call is behind, on its thread; none where it is within one, or before all.
std::optional<size_t> StepBefore(std::span<const StepRoot> steps, const FunctionCall& call) {
  const auto after = std::ranges::upper_bound(steps, call.start, {}, &StepRoot::start);
  if (after == steps.begin()) return std::nullopt;
  const auto before = std::prev(after);
  if (call.start < before->end || call.line != before->line) return std::nullopt;
  return static_cast<size_t>(before - steps.begin());
}

// By step, the last one too.
std::vector<Between> CallsBetween(std::span<const StepRoot> steps,
                                  std::span<const FunctionCall> others) {
  std::vector<Between> between(steps.size());
  for (const FunctionCall& call : others) {
    const auto step = StepBefore(steps, call);
    if (!step) continue;
    Between& own = between[*step];
    if (call.trains)
      own.training = AddSaturated(own.training, SubtractSaturated(call.end, call.start));
    else
      own.functions.insert(call.function);
  }
  return between;
}

// Functions that run behind fewer than half of the steps.
std::set<StringId> RareFunctions(std::span<const Between> between) {
  std::map<StringId, size_t> counts;
  for (const Between& own : between) {
    for (const StringId function : own.functions) ++counts[function];
  }
  std::set<StringId> rare;
  for (const auto& [function, count] : counts) {
    if (2 * count < between.size()) rare.insert(function);
  }
  return rare;
}

std::vector<Evaluation> EvaluationsBetween(std::span<const StepRoot> steps,
                                           std::span<const FunctionCall> others,
                                           const std::set<StringId>& rare) {
  struct Run {
    int64_t calls = 0, last = 0;
    std::map<StringId, int64_t> times;  // ns
  };
  std::map<size_t, Run> runs;  // by the step before
  for (const FunctionCall& call : others) {
    const auto step = StepBefore(steps, call);
    if (!step || call.trains || !rare.contains(call.function)) continue;
    Run& run = runs[*step];
    ++run.calls;
    run.last = std::max(run.last, call.end);
    int64_t& time = run.times[call.function];
    time = AddSaturated(time, SubtractSaturated(call.end, call.start));
  }
  std::vector<Evaluation> evaluations;
  for (const auto& [s, run] : runs) {
    const auto most =
        std::ranges::max_element(run.times, {}, [](const auto& of_one) { return of_one.second; });
    const int64_t end = s + 1 < steps.size() ? steps[s + 1].start : run.last;
    evaluations.push_back(
        {most->first, steps[s].line, steps[s].end, std::max(end, steps[s].end), run.calls});
  }
  return evaluations;
}

// Between a step and the next, without calls that compute gradients.
int64_t RestBehind(std::span<const StepRoot> steps, size_t step, const Between& between) {
  return SubtractSaturated(SubtractSaturated(steps[step + 1].start, steps[step].end),
                           between.training);
}

int64_t OwnTime(const StepRoot& step, const Between& between) {
  return AddSaturated(SubtractSaturated(step.end, step.start), between.training);
}

// Whether more than a step lies behind most steps: the calls are a small part of the loop, which
// loads data or runs operators one by one.
bool MoreLiesBetween(std::span<const StepRoot> steps, std::span<const Between> between) {
  size_t more = 0;
  for (size_t i = 0; i + 1 < steps.size(); ++i)
    more += RestBehind(steps, i, between[i]) >= OwnTime(steps[i], between[i]) ? 1 : 0;
  return steps.size() > 2 && 2 * more > steps.size() - 1;
}

}  // namespace

std::vector<Evaluation> SplitTurns(std::vector<StepRoot>& steps,
                                   std::span<const FunctionCall> others) {
  std::ranges::stable_sort(steps, {}, &StepRoot::start);
  const std::vector<Between> between = CallsBetween(steps, others);
  const std::set<StringId> rare = RareFunctions(between);
  std::vector<Evaluation> evaluations = EvaluationsBetween(steps, others, rare);
  const bool always = MoreLiesBetween(steps, between);
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const int64_t gap = SubtractSaturated(steps[i + 1].start, steps[i].end);
    const bool evaluates = std::ranges::any_of(
        between[i].functions, [&](StringId function) { return rare.contains(function); });
    const bool less = RestBehind(steps, i, between[i]) < OwnTime(steps[i], between[i]);
    if (gap > 0 && (always || less) && !evaluates) steps[i].end = steps[i + 1].start;
  }
  return evaluations;
}

}  // namespace stepscope
