// Implements the search for slow steps.
#include "analyses/steps_slow_found.h"

#include <algorithm>
#include <string>

#include "analyses/steps_inputs.h"
#include "base/saturate.h"
#include "facts/derived/steps/step_growth.h"
#include "report/humanize.h"

namespace stepscope::steps_slow {

Phrase UsualTime::Say(const RankStep& step) const {
  const std::string time = HumanTime(static_cast<double>(Of(step)));
  if (IsOwn(step))
    return stepscope::Say("median {time} of rank {rank}", time, step.rank->rank->rank);
  if (!change_) return stepscope::Say("median {time}", time);
  return step.Number() < change_->since
             ? stepscope::Say("median {time} before step {step}", time, change_->since)
             : stepscope::Say("median {time} since step {step}", time, change_->since);
}

int64_t UsualTime::Of(const RankStep& step) const {
  if (!change_) return of_ranks_.at(step.rank->rank->rank);
  return step.Number() < change_->since ? change_->before : change_->after;
}

namespace {

// Where the slowest step only waits, the one with the most time of its own: a rank that saves a
// checkpoint behind its last collective makes the others wait in the first of their next step.
RankStep WaitedFor(const SlowSteps& found, const UsualTime& usual) {
  const auto own_excess = [&](const RankStep& s) { return s.OwnTime() - usual.Of(s); };
  const int64_t half = (found.slowest.Time() - usual.Of(found.slowest)) / 2;
  if (own_excess(found.slowest) >= half) return found.slowest;
  const RankStep most = *std::ranges::max_element(found.all, {}, own_excess);
  return own_excess(most) >= half ? most : found.slowest;
}

// Ranks that only wait for a slow one are as slow: the rank of that step that communicates least.
RankStep Working(const std::vector<RankSteps>& ranks, const RankStep& slowest) {
  constexpr double kAsSlow = 0.9;
  RankStep working = slowest;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      const RankStep s{&rank, &step};
      const bool as_slow =
          s.Number() == slowest.Number() &&
          static_cast<double>(s.Time()) >= kAsSlow * static_cast<double>(slowest.Time());
      if (as_slow && s.OwnTime() > working.OwnTime()) working = s;
    }
  }
  return working;
}

}  // namespace

SlowSteps FindSlowSteps(const Facts& facts, const std::vector<RankSteps>& ranks,
                        const UsualTime& usual, double slow) {
  SlowSteps found;
  for (const RankSteps& rank : ranks) {
    const StepInputs inputs(facts, rank);
    for (const StepBreakdown& breakdown : rank.steps) {
      const RankStep s{&rank, &breakdown};
      if (s.IsFirst() && BeginsWithWarmUp(rank)) continue;
      ++found.of;
      found.total = AddSaturated(found.total, s.Time());
      const int64_t own = usual.Of(s);
      if (static_cast<double>(s.Time()) < slow * static_cast<double>(own)) continue;
      if (inputs.Explain(static_cast<size_t>(&breakdown - rank.steps.data()), own)) {
        ++found.by_inputs;
        continue;
      }
      const auto excess = [&](const RankStep& of) { return of.Time() - usual.Of(of); };
      if (found.slowest.step == nullptr || excess(s) > excess(found.slowest)) found.slowest = s;
      ++found.count;
      found.all.push_back(s);
      found.lost = AddSaturated(found.lost, s.Time() - own);
      found.ranks[s.Number()].insert(rank.rank->rank);
    }
  }
  if (found.count > 0) {
    found.slowest = Working(ranks, found.slowest);
    found.slowest = WaitedFor(found, usual);
  }
  return found;
}

}  // namespace stepscope::steps_slow
