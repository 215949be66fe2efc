// Sums the operators of steps by name.
#include "analyses/many_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "analyses/advice.h"
#include "analyses/build.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "report/humanize.h"
#include "report/kernel_name.h"

namespace stepscope {
namespace many_calls {
namespace {

constexpr double kMany = 1'000;    // calls per step
constexpr double kLeast = 0.05;    // of the steps
constexpr double kShort = 20'000;  // ns a call

constexpr Advice kOneCall{
    "replace the Python loop around it by one operation on whole tensors (.tolist() reads many "
    "values at once), or compile the loop with torch.compile",
    "replace the Python loop around it by one operation on whole tensors, or compile the loop with "
    "tf.function",
    "replace the Python loop around it by one operation on whole arrays (vmap, lax.scan), or jit "
    "the loop"};

struct Calls {
  StringId name = kNoString;
  int64_t time = 0, count = 0;
};

Calls Most(const StringTable& names, const std::vector<RankSteps>& ranks, double steps) {
  std::unordered_map<StringId, Calls> sums;
  StopChecks checks;
  for (const RankSteps& own : ranks) {
    for (const Activity& activity : own.rank->activities) {
      checks.Turn();
      if (activity.kind != Kind::kCompute || activity.step == kNoStep) continue;
      Calls& sum = sums[activity.name];
      sum.time = AddSaturated(sum.time, activity.duration());
      ++sum.count;
    }
  }
  Calls most;
  for (auto& [name, sum] : sums) {
    const auto count = static_cast<double>(sum.count);
    if (count < kMany * steps || static_cast<double>(sum.time) > kShort * count) continue;
    sum.name = name;
    const bool first =
        sum.time == most.time && most.name != kNoString && names[name] < names[most.name];
    if (sum.time > most.time || first) most = sum;
  }
  return most;
}

}  // namespace
}  // namespace many_calls

void AddManyCalls(const Facts& facts, const std::vector<RankSteps>& ranks, Report& report) {
  if (!facts.OnHost() || ranks.empty() || ranks.front().whole_recording) return;
  double steps = 0;
  for (const RankSteps& own : ranks) steps += static_cast<double>(own.rank->steps.size());
  const many_calls::Calls most = many_calls::Most(*facts.names, ranks, steps);
  const auto time = static_cast<double>(most.time);
  const StepStatistics total = StatisticsOfTotals(ranks);
  const double share = time / std::max(steps * total.mean, 1.0);
  if (most.name == kNoString || share < many_calls::kLeast) return;
  const double calls = static_cast<double>(most.count) / steps;
  report.findings.push_back(
      {.message = fmt::format("{} runs {} times per step: {} of step time.",
                              ShortName((*facts.names)[most.name]),
                              HumanCount(static_cast<int64_t>(calls)), HumanRatio(share)),
       .because = fmt::format("{} per step, {} a call; Python between the calls comes on top",
                              HumanTime(time / steps), HumanTime(time / steps / calls)),
       .hint = Say(many_calls::kOneCall, facts),
       .impact = most.time / static_cast<int64_t>(ranks.size()),
       .table = "step_time",
       .cause = {CauseKind::kHost},
       .nearness = Nearness::kCause});
}

}  // namespace stepscope
