// Finds steps that take much longer than the median, and what they have in common.
#include "analyses/steps_slow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "analyses/build.h"
#include "analyses/changes.h"
#include "base/change_point.h"
#include "base/distribution.h"
#include "base/growth.h"
#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_growth.h"
#include "report/humanize.h"

namespace stepscope {
namespace steps_slow {
namespace {

constexpr size_t kMostCompared = 1000;  // steps before each
constexpr int64_t kMost = 2;            // of what a slow step takes longer, one function takes half

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

struct RankStep {
  const RankSteps* rank = nullptr;
  const StepBreakdown* step = nullptr;

  int64_t Time() const { return step->Total(); }
  int64_t Number() const { return step->window.number; }
  bool IsFirst() const { return step == rank->steps.data(); }
};

// The median step time, which changes where steps do.
class UsualTime {
 public:
  UsualTime(int64_t median, const std::optional<StepChange>& change)
      : median_(median), change_(change) {}

  // "median 124 ms before step 11", where steps take another time since.
  std::string Say(const RankStep& step) const {
    const std::string time = Time(Of(step));
    if (!change_) return "median " + time;
    const bool before = step.Number() < change_->since;
    return fmt::format("median {} {} step {}", time, before ? "before" : "since", change_->since);
  }

  int64_t Of(const RankStep& step) const {
    if (!change_) return median_;
    return step.Number() < change_->since ? change_->before : change_->after;
  }

 private:
  int64_t median_;
  const std::optional<StepChange>& change_;
};

// The category that grew most over its median in a slow step.
struct Growth {
  StepCategory category = StepCategory::kOther;
  int64_t time = 0;

  // "1.2 ms more input".
  std::string Say(const Facts& facts) const {
    if (time == 0) return "no category grew";
    return fmt::format("{} more {}", Time(time), SayCategory(category, facts));
  }
  CauseKind Cause() const { return time == 0 ? CauseKind::kNone : CauseOf(category); }
};

Growth WhatGrew(const StepBreakdown& slow, const std::vector<RankSteps>& ranks) {
  Growth most;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    std::vector<int64_t> times;
    for (const RankSteps& rank : ranks) {
      for (const StepBreakdown& step : rank.steps) times.push_back(TimeOf(step, category));
    }
    const int64_t more = TimeOf(slow, category) - Describe(times).p50;
    if (more > most.time) most = {category, more};
  }
  return most;
}

constexpr AdviceByPurpose kDoRarely{
    ForAll("look at this step in the timeline; if slow steps recur at regular intervals, do "
           "checkpoints, evaluation or logging less often or in the background"),
    ForAll("look at this step in the timeline: prompts may share it with generation (chunked "
           "prefill divides them), or its batch is larger, or the host collects garbage"),
    ForAll("look at this step in the timeline; if slow steps recur at regular intervals, do what "
           "recurs less often or in the background")};
constexpr std::string_view kRecurs =
    "do what recurs in these steps (checkpoints, evaluation, logging) less often or in the "
    "background";

struct SlowSteps {
  int64_t count = 0, of = 0;
  int64_t lost = 0, total = 0;  // ns
  RankStep slowest;
  std::map<int64_t, std::set<int64_t>> ranks;  // on which a step is slow, by number
};

// Ranks that only wait for a slow one are as slow: the rank of that step that communicates least.
RankStep Working(const std::vector<RankSteps>& ranks, const RankStep& slowest) {
  constexpr double kAsSlow = 0.9;
  const auto own = [](const RankStep& s) {
    return s.Time() - TimeOf(*s.step, StepCategory::kDeviceCollectives);
  };
  RankStep working = slowest;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      const RankStep s{&rank, &step};
      const bool as_slow =
          s.Number() == slowest.Number() &&
          static_cast<double>(s.Time()) >= kAsSlow * static_cast<double>(slowest.Time());
      if (as_slow && own(s) > own(working)) working = s;
    }
  }
  return working;
}

SlowSteps FindSlowSteps(const std::vector<RankSteps>& ranks, const UsualTime& usual, double slow) {
  SlowSteps found;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& breakdown : rank.steps) {
      const RankStep s{&rank, &breakdown};
      if (s.IsFirst() && BeginsWithWarmUp(rank)) continue;
      ++found.of;
      found.total = AddSaturated(found.total, s.Time());
      const int64_t own = usual.Of(s);
      if (static_cast<double>(s.Time()) < slow * static_cast<double>(own)) continue;
      if (found.slowest.step == nullptr || s.Time() > found.slowest.Time()) found.slowest = s;
      ++found.count;
      found.lost = AddSaturated(found.lost, s.Time() - own);
      found.ranks[s.Number()].insert(rank.rank->rank);
    }
  }
  if (found.count > 0) found.slowest = Working(ranks, found.slowest);
  return found;
}

// The job's steps, which are as long as their mean over ranks.
struct JobSteps {
  std::vector<int64_t> numbers, means;
};

JobSteps StepsOfJob(const std::vector<RankSteps>& ranks) {
  std::map<int64_t, std::pair<int64_t, int64_t>> sums;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) {
      auto& [time, count] = sums[step.window.number];
      time = AddSaturated(time, step.Total());
      ++count;
    }
  }
  JobSteps steps;
  for (const auto& [number, sum] : sums) {
    steps.numbers.push_back(number);
    steps.means.push_back(sum.first / sum.second);
  }
  return steps;
}

// Whether a change of level explains the steps better than a line does.
bool IsOneChange(const std::vector<int64_t>& steps) {
  const double slope = SlopeOf(steps);
  std::vector<double> remain;
  for (size_t s = 0; s < steps.size(); ++s)
    remain.push_back(static_cast<double>(steps[s]) - slope * static_cast<double>(s));
  const double height = Median(remain);
  double left = 0;
  for (const double value : remain) left += std::abs(value - height);
  return DeviationFromOneChange(steps) < left;
}

// The median of the first third of the steps, if they grow all along and do not only change once:
// of nearly all pairs the later one is longer (Kendall's rank correlation), and the last third
// takes half as much again, or more.
std::optional<int64_t> GrowFrom(const std::vector<int64_t>& steps) {
  constexpr size_t kEnough = 6;
  constexpr double kNearlyAll = 0.7, kMore = 1.5;
  if (steps.size() < kEnough) return std::nullopt;
  int64_t order = 0, pairs = 0;
  for (size_t later = 1; later < steps.size(); ++later) {
    for (size_t s = std::max(later, kMostCompared) - kMostCompared; s < later; ++s) {
      ++pairs;
      order += steps[later] > steps[s] ? 1 : steps[later] < steps[s] ? -1 : 0;
    }
  }
  if (static_cast<double>(order) < kNearlyAll * static_cast<double>(pairs)) return std::nullopt;
  const auto third = static_cast<std::ptrdiff_t>(steps.size() / 3);
  std::vector<int64_t> first(steps.begin(), steps.begin() + third),
      last(steps.end() - third, steps.end());
  const int64_t base = Describe(first).p50;
  const bool more = static_cast<double>(Describe(last).p50) >= kMore * static_cast<double>(base);
  return more ? std::optional(base) : std::nullopt;
}

// What steps take beyond `base`.
void AddGrowing(Report& report, const std::vector<int64_t>& steps, int64_t base) {
  int64_t more = 0, all = 0;
  for (const int64_t step : steps) {
    more = AddSaturated(more, std::max<int64_t>(step - base, 0));
    all = AddSaturated(all, step);
  }
  report.findings.push_back(
      {.message = fmt::format("Steps grow from {} to {} over {}.", Time(steps.front()),
                              Time(steps.back()), Plural(steps.size(), "step")),
       .because = fmt::format("median of the first {}: {}; nearly each step is longer than those "
                              "before it",
                              steps.size() / 3, Time(base)),
       .hint =
           "find what grows with each step: lengths of sequences, a cache of keys and values, a "
           "list that is kept, memory in use",
       .impact = more,
       .table = "steps",
       .nearness = Nearness::kPart,
       .extent = {all, static_cast<double>(steps.size())}});
}

// Behind steps with these numbers, as the slowest one's rank has them.
struct Behind {
  std::optional<FrameTimes::Leader> function;
  std::optional<PeriodOfSteps> period;  // in which steps it runs, where that is regular

  // ", in save (train.py:40), which runs in every 5th step (4, 9 and 14)".
  std::string Say(bool with_period) const {
    if (!function) return "";
    std::string said = ", in " + SayLeader(*function);
    if (with_period && period) said += ", which runs in " + period->Say();
    return said;
  }
};

Behind FindBehind(const Facts& facts, const RankStep& slowest, const std::set<int64_t>& numbers,
                  int64_t least) {
  const RankSteps& steps = *slowest.rank;
  const auto is_slow = [&](int64_t step) { return numbers.contains(step); };
  const RankWindows slow{steps.rank, WindowsOf(steps, is_slow)};
  const RankWindows others{steps.rank, WindowsOf(steps, std::not_fn(is_slow))};
  Behind behind{.function = FunctionBehind(facts, slow, others, least)};
  if (!behind.function) return behind;
  std::vector<int64_t> of_all;
  for (const StepBreakdown& step : steps.steps) of_all.push_back(step.window.number);
  const RankWindows all{steps.rank, WindowsOf(steps)};
  behind.period = FindPeriodOfSteps(of_all, TimesIn(facts, all, behind.function->name), 1);
  return behind;
}

std::string Times(double time, double usual) { return fmt::format("{:.1f}×", time / usual); }

// "Step 12 of rank 0 took 8.0× the median step time.", or of all ranks, or of every 5th step.
std::string Message(const std::vector<RankSteps>& ranks, const SlowSteps& found,
                    const std::optional<PeriodOfSteps>& period, const Behind& behind,
                    int64_t median) {
  const RankStep& slowest = found.slowest;
  if (period) {
    return fmt::format("{} takes {} the median step time{}.", Capitalized(period->Say()),
                       Times(period->high, period->usual), behind.Say(false));
  }
  const std::string times = Times(static_cast<double>(slowest.Time()), static_cast<double>(median));
  std::set<int64_t> all;
  for (const RankSteps& rank : ranks) all.insert(rank.rank->rank);
  const bool on_all = all.size() > 1 && found.ranks.at(slowest.Number()).size() == all.size();
  if (on_all)
    return fmt::format(
        "Step {} took {} the median step time on rank {}, and is slow on all ranks{}.",
        slowest.Number(), times, slowest.rank->rank->rank, behind.Say(true));
  return fmt::format("Step {} of rank {} took {} the median step time{}.", slowest.Number(),
                     slowest.rank->rank->rank, times, behind.Say(true));
}

// Where so many are slow, they are no exception.
bool AreMany(const SlowSteps& found) { return kMostSlow * found.count > found.of; }

// Whether one rank's growth, a finding of its own, is at least half of what the slowest step takes
// longer.
bool IsByGrowth(const Facts& facts, int64_t longer) {
  const std::optional<RankGrowth>& growth = RankGrowthOf(facts);
  return growth && 2 * (growth->last - growth->first) >= longer;
}

// Whether the slowest step is one of a rank that is slower in all it runs, a finding of its own.
bool IsBySlowHost(const Facts& facts, const RankStep& slowest) {
  return std::ranges::any_of(SlowRanksOf(facts), [&](const SlowRank& slow) {
    return slow.rank == slowest.rank->rank->rank && slow.since <= slowest.Number();
  });
}

// Lengths that vary, as with batches of other lengths, are no cost that is known.
void AddVarying(Report& report, const std::vector<RankSteps>& ranks, const SlowSteps& found,
                int64_t median) {
  std::vector<int64_t> times;
  for (const RankSteps& rank : ranks) {
    for (const StepBreakdown& step : rank.steps) times.push_back(step.Total());
  }
  const Distribution d = Describe(times);
  report.findings.push_back(
      {.severity = Severity::kLow,
       .message = fmt::format("Step time varies from {} to {} without a pattern; median {}.",
                              Time(d.min), Time(d.max), Time(median)),
       .because = fmt::format("{} of {} steps are slow; no function is specific to them",
                              found.count, found.of),
       .hint =
           "compare the sizes of batches: sequences of other lengths, or padding to the longest",
       .table = "steps",
       .nearness = Nearness::kSymptom});
}

}  // namespace
}  // namespace steps_slow

void AddSlowSteps(Report& report, const Facts& facts, const std::vector<RankSteps>& ranks,
                  int64_t median_of_all, double slow) {
  const steps_slow::UsualTime usual(median_of_all, StepChangesOf(facts).step_time);
  const steps_slow::SlowSteps found = steps_slow::FindSlowSteps(ranks, usual, slow);
  report.metrics.push_back({"slow_steps", "slow steps", found.count, Unit::kCount});
  if (found.count == 0) return;
  const steps_slow::RankStep& slowest = found.slowest;
  const int64_t median = usual.Of(slowest);
  if (median <= 0 || steps_slow::IsByGrowth(facts, slowest.Time() - median) ||
      steps_slow::IsBySlowHost(facts, slowest))
    return;
  const steps_slow::JobSteps steps = steps_slow::StepsOfJob(ranks);
  const auto base = steps_slow::GrowFrom(steps.means);
  if (base && !(StepChangesOf(facts).step_time && steps_slow::IsOneChange(steps.means)))
    return steps_slow::AddGrowing(report, steps.means, *base);
  auto period =
      FindPeriodOfSteps(steps.numbers, steps.means, (slow - 1) * static_cast<double>(median));
  if (period && !period->numbers.contains(slowest.Number())) period.reset();
  const auto excess = static_cast<double>(slowest.Time() - median);
  const steps_slow::Behind behind = steps_slow::FindBehind(
      facts, slowest, period ? period->numbers : std::set<int64_t>{slowest.Number()},
      static_cast<int64_t>(period ? period->high - period->usual : excess) / steps_slow::kMost);
  const double share =
      static_cast<double>(found.lost) / static_cast<double>(std::max<int64_t>(found.total, 1));
  if (!period && !behind.function && steps_slow::AreMany(found)) {
    steps_slow::AddVarying(report, ranks, found, median_of_all);
    return;
  }
  const steps_slow::Growth grew = steps_slow::WhatGrew(*slowest.step, ranks);
  const auto devices = static_cast<int64_t>(ranks.size());
  report.findings.push_back(
      {.message = steps_slow::Message(ranks, found, period, behind, median),
       .because = fmt::format(
           "{}{} vs {}; cause: {}; {} of {} steps are slow and cost {} of all step time",
           period ? "longest " : "", steps_slow::Time(slowest.Time()), usual.Say(slowest),
           grew.Say(facts), found.count, found.of, HumanRatio(share)),
       .hint = period || behind.period ? std::string(steps_slow::kRecurs)
               : slowest.IsFirst()     ? Say(kRecordLater, facts)
                                       : Say(steps_slow::kDoRarely, facts),
       .impact = found.lost / devices,
       .table = "steps",
       .cause = {grew.Cause(), {}, slowest.Number()},
       .extent = {found.total / devices}});
}

}  // namespace stepscope
