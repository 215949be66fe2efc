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
#include "analyses/growth.h"
#include "analyses/steps_growing.h"
#include "analyses/steps_inputs.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/steps/step_changes.h"
#include "facts/derived/steps/step_growth.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace steps_slow {
namespace {

constexpr int64_t kMost = 2;  // of what a slow step takes longer, one function takes half

std::string Time(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

struct RankStep {
  const RankSteps* rank = nullptr;
  const StepBreakdown* step = nullptr;

  int64_t Time() const { return step->Total(); }
  int64_t Number() const { return step->window.number; }
  bool IsFirst() const { return step == rank->steps.data(); }
};

// The median step time, which changes where steps do, and may be another on ranks that do not wait
// for one another.
class UsualTime {
 public:
  UsualTime(const std::vector<RankSteps>& ranks, int64_t median,
            const std::optional<StepChange>& change)
      : median_(median), change_(change) {
    if (!change) of_ranks_ = UsualStepTimes(ranks, median);
  }

  // "median 124 ms before step 11", where steps take another time since.
  Phrase Say(const RankStep& step) const {
    const std::string time = Time(Of(step));
    if (IsOwn(step))
      return stepscope::Say("median {time} of rank {rank}", time, step.rank->rank->rank);
    if (!change_) return stepscope::Say("median {time}", time);
    return step.Number() < change_->since
               ? stepscope::Say("median {time} before step {step}", time, change_->since)
               : stepscope::Say("median {time} since step {step}", time, change_->since);
  }

  int64_t Of(const RankStep& step) const {
    if (!change_) return of_ranks_.at(step.rank->rank->rank);
    return step.Number() < change_->since ? change_->before : change_->after;
  }

  // Whether it is that of its rank alone.
  bool IsOwn(const RankStep& step) const { return !change_ && Of(step) != median_; }

 private:
  int64_t median_;
  std::map<int64_t, int64_t> of_ranks_;
  const std::optional<StepChange>& change_;
};

// The category that grew most over its median, or that of its own rank, in a slow step.
struct Growth {
  StepCategory category = StepCategory::kOther;
  int64_t time = 0;

  // "1.2 ms more input".
  Phrase Say(const Facts& facts) const {
    if (time == 0) return "no category grew";
    return stepscope::Say("{time} more {category}", Time(time), SayCategory(category, facts));
  }
  CauseKind Cause() const { return time == 0 ? CauseKind::kNone : CauseOf(category); }
};

Growth WhatGrew(const RankStep& slow, const std::vector<RankSteps>& ranks, bool own) {
  Growth most;
  for (size_t c = 0; c < kStepCategories; ++c) {
    const auto category = static_cast<StepCategory>(c);
    std::vector<int64_t> times;
    for (const RankSteps& rank : ranks) {
      if (own && rank.rank->rank != slow.rank->rank->rank) continue;
      for (const StepBreakdown& step : rank.steps) times.push_back(TimeOf(step, category));
    }
    const int64_t more = TimeOf(*slow.step, category) - Describe(times).p50;
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
  int64_t by_inputs = 0;        // not in `count`: steps whose inputs are larger
  int64_t lost = 0, total = 0;  // ns
  RankStep slowest;             // of all; but the one others wait for, not one that waits
  std::vector<RankStep> all;
  std::map<int64_t, std::set<int64_t>> ranks;  // on which a step is slow, by number
};

// Without the time in collectives, which is that of other ranks as often.
int64_t OwnTime(const StepBreakdown& step) {
  return step.Total() - TimeOf(step, StepCategory::kDeviceCollectives);
}

// Where the slowest step only waits, the one with the most time of its own: a rank that saves a
// checkpoint behind its last collective makes the others wait in the first of their next step.
RankStep WaitedFor(const SlowSteps& found, const UsualTime& usual) {
  const auto own_excess = [&](const RankStep& s) { return OwnTime(*s.step) - usual.Of(s); };
  const int64_t half = (found.slowest.Time() - usual.Of(found.slowest)) / 2;
  if (own_excess(found.slowest) >= half) return found.slowest;
  const RankStep most = *std::ranges::max_element(found.all, {}, own_excess);
  return own_excess(most) >= half ? most : found.slowest;
}

// Ranks that only wait for a slow one are as slow: the rank of that step that communicates least.
RankStep Working(const std::vector<RankSteps>& ranks, const RankStep& slowest) {
  constexpr double kAsSlow = 0.9;
  const auto own = [](const RankStep& s) { return OwnTime(*s.step); };
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

// Slow steps that recur.
struct Recurring {
  PeriodOfSteps steps;
  bool on_rank = false;  // of the slowest step's rank, while others wait in other steps

  Phrase Say(const RankStep& slowest) const {
    return steps.Say(on_rank ? stepscope::Say(" of rank {rank}", slowest.rank->rank->rank)
                             : Phrase());
  }
};

// As long as the job's steps are, or else as long as those of the slowest one's rank are without
// waiting for others.
std::optional<Recurring> FindRecurring(const std::vector<RankSteps>& ranks, const JobSteps& job,
                                       const RankStep& slowest, double least) {
  auto found = FindPeriodOfSteps(job.numbers, job.means, least);
  if (found && found->numbers.contains(slowest.Number())) return Recurring{*std::move(found)};
  if (ranks.size() < 2) return std::nullopt;
  std::vector<int64_t> numbers, times;
  for (const StepBreakdown& step : slowest.rank->steps) {
    numbers.push_back(step.window.number);
    times.push_back(OwnTime(step));
  }
  found = FindPeriodOfSteps(numbers, times, least);
  if (!found || !found->numbers.contains(slowest.Number())) return std::nullopt;
  std::vector<int64_t> usual, high;
  for (const StepBreakdown& step : slowest.rank->steps)
    (found->numbers.contains(step.window.number) ? high : usual).push_back(step.Total());
  found->usual = static_cast<double>(Describe(usual).p50);
  found->high = static_cast<double>(Describe(high).p50);
  return Recurring{*std::move(found), true};
}

// "; other ranks wait for it in the next step", where these are the only other slow steps.
Phrase SayEcho(const SlowSteps& found, const Recurring& recurring) {
  const int64_t rank = found.slowest.rank->rank->rank;
  const std::set<int64_t>& numbers = recurring.steps.numbers;
  bool waits = false;
  for (const RankStep& s : found.all) {
    if (s.rank->rank->rank == rank) continue;
    if (!numbers.contains(s.Number()) && !numbers.contains(s.Number() - 1)) return "";
    waits = true;
  }
  return waits ? "; the other ranks wait for it, mostly in the next step" : "";
}

// Behind steps with these numbers, as the slowest one's rank has them.
struct Behind {
  std::optional<FrameTimes::Leader> function;
  std::optional<PeriodOfSteps> period;  // in which steps it runs, where that is regular

  // ", in save (train.py:40), which runs in every 5th step (4, 9 and 14)".
  Phrase Say(bool with_period) const {
    if (!function) return "";
    const Phrase leader = SayLeader(*function);
    return with_period && period
               ? stepscope::Say(", in {function}, which runs in {period}", leader, period->Say())
               : stepscope::Say(", in {function}", leader);
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
  behind.period = FindPeriodOfSteps(of_all, TimesIn(facts, all, MeasuredOf(*behind.function)), 1);
  return behind;
}

std::string Times(double time, double usual) { return fmt::format("{:.1f}×", time / usual); }

// "Step 12 of rank 0 took 8.0× the median step time.", or of all ranks, or of every 5th step.
Phrase Message(const std::vector<RankSteps>& ranks, const SlowSteps& found,
               const std::optional<Recurring>& recurring, const Behind& behind, int64_t median) {
  const RankStep& slowest = found.slowest;
  if (recurring) {
    return Say("{which} takes {times} the median of the other steps{behind}.",
               Capitalized(recurring->Say(slowest)),
               Times(recurring->steps.high, recurring->steps.usual), behind.Say(false));
  }
  const std::string times = Times(static_cast<double>(slowest.Time()), static_cast<double>(median));
  std::set<int64_t> all;
  for (const RankSteps& rank : ranks) all.insert(rank.rank->rank);
  const bool on_all = all.size() > 1 && found.ranks.at(slowest.Number()).size() == all.size();
  if (on_all)
    return Say(
        "Step {step} took {times} the median step time on rank {rank}, and is slow on all "
        "ranks{behind}.",
        slowest.Number(), times, slowest.rank->rank->rank, behind.Say(true));
  return Say("Step {step} of rank {rank} took {times} the median step time{behind}.",
             slowest.Number(), slowest.rank->rank->rank, times, behind.Say(true));
}

// The steps that the message names, the rank, and the function.
Where WhereOf(const RankStep& slowest, const std::optional<Recurring>& recurring,
              const Behind& behind) {
  Where where{.steps = {slowest.Number()}};
  if (recurring)
    where.steps.assign(recurring->steps.numbers.begin(), recurring->steps.numbers.end());
  if (!recurring || recurring->on_rank) where.rank = slowest.rank->rank->rank;
  if (behind.function) where.event = Phrase::Name(LabelOf(behind.function->name));
  return where;
}

// Where most of what the rank spends on the category is in steps that recur, they are the cause of
// it. Else they are one of its parts.
void SetCause(Finding& finding, const Recurring& recurring, const Behind& behind,
              const RankStep& slowest, StepCategory category) {
  // What the host does in these steps is the cause also where no stack says more.
  if (!behind.function && category != StepCategory::kOther) return;
  int64_t all = 0, in_these = 0;
  for (const StepBreakdown& step : slowest.rank->steps) {
    const int64_t time = TimeOf(step, category);
    all = AddSaturated(all, time);
    if (recurring.steps.numbers.contains(step.window.number))
      in_these = AddSaturated(in_these, time);
  }
  finding.cause.step.reset();
  if (recurring.on_rank) finding.cause.rank = slowest.rank->rank->rank;
  finding.nearness = in_these >= all / 2 ? Nearness::kCause : Nearness::kPart;
}

// Where so many are slow, they are no exception.
bool AreMany(const SlowSteps& found) { return kMostSlow * found.count > found.of; }

// Whether the growth of one rank or function, a finding of its own, is at least half of what the
// slowest step takes longer.
bool IsByGrowth(const Facts& facts, int64_t longer) {
  const std::optional<FunctionGrowth>& function = GrowingFunctionOf(facts);
  if (function && 2 * (function->last - function->first) >= longer) return true;
  const std::optional<RankGrowth>& growth = RankGrowthOf(facts);
  return growth && 2 * (growth->last - growth->first) >= longer;
}

// Whether what slow steps cost, ns of a rank, is less than what all steps since a change take more.
bool IsLessThanChange(const Facts& facts, int64_t cost) {
  const StepChange* const change = StepChangesOf(facts).Told();
  return change != nullptr &&
         cost / std::max<int64_t>(change->steps_after, 1) < change->Difference();
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
       .message = Say("Step time varies from {min} to {max} without a pattern; median {median}.",
                      Time(d.min), Time(d.max), Time(median)),
       .because = Say("{count} of {all} steps are slow; no function is specific to them",
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
  const steps_slow::UsualTime usual(ranks, median_of_all, StepChangesOf(facts).step_time);
  const steps_slow::SlowSteps found = steps_slow::FindSlowSteps(facts, ranks, usual, slow);
  report.metrics.push_back({"slow_steps", "slow steps", found.count, Unit::kCount});
  if (found.by_inputs > 0) AddLargerInputs(report, found.by_inputs, found.of, slow);
  if (found.count == 0) return;
  const steps_slow::RankStep& slowest = found.slowest;
  const int64_t median = usual.Of(slowest);
  if (median <= 0 || steps_slow::IsByGrowth(facts, slowest.Time() - median) ||
      steps_slow::IsBySlowHost(facts, slowest))
    return;
  const steps_slow::JobSteps steps = steps_slow::StepsOfJob(ranks);
  if (!IsOneChange(steps.means) && AddGrowingSteps(report, facts, steps.means)) return;
  const auto recurring =
      steps_slow::FindRecurring(ranks, steps, slowest, (slow - 1) * static_cast<double>(median));
  const auto excess = recurring
                          ? static_cast<int64_t>(recurring->steps.high - recurring->steps.usual)
                          : slowest.Time() - median;
  const steps_slow::Behind behind = steps_slow::FindBehind(
      facts, slowest, recurring ? recurring->steps.numbers : std::set<int64_t>{slowest.Number()},
      excess / steps_slow::kMost);
  const double share =
      static_cast<double>(found.lost) / static_cast<double>(std::max<int64_t>(found.total, 1));
  if (!recurring && !behind.function && steps_slow::AreMany(found)) {
    if (StepChangesOf(facts).Told() == nullptr)
      steps_slow::AddVarying(report, ranks, found, median_of_all);
    return;
  }
  const steps_slow::Growth grew = steps_slow::WhatGrew(slowest, ranks, usual.IsOwn(slowest));
  const auto devices = static_cast<int64_t>(ranks.size());
  const std::string time = steps_slow::Time(slowest.Time());
  Finding finding{
      .message = steps_slow::Message(ranks, found, recurring, behind, median),
      .because = Say(
          "{longest} vs {usual}; cause: {cause}; {count} of {all} steps{ranks} are slow and cost "
          "{share} of all step time{echo}",
          recurring ? Say("longest {time}", time) : Phrase(time), usual.Say(slowest),
          grew.Say(facts), found.count, found.of, devices > 1 ? " of all ranks" : "",
          HumanRatio(share),
          recurring && recurring->on_rank ? steps_slow::SayEcho(found, *recurring) : Phrase()),
      .hint = recurring || behind.period ? Phrase(steps_slow::kRecurs)
              : slowest.IsFirst()        ? Phrase(Say(kRecordLater, facts))
                                         : Phrase(Say(steps_slow::kDoRarely, facts)),
      .impact = found.lost / devices,
      .table = "steps",
      .cause = {grew.Cause(), {}, slowest.Number()},
      .extent = {found.total / devices}};
  finding.where = steps_slow::WhereOf(slowest, recurring, behind);
  if (recurring) {
    steps_slow::SetCause(finding, *recurring, behind, slowest, grew.category);
  } else if (!behind.function && steps_slow::IsLessThanChange(facts, finding.impact)) {
    finding.severity = Severity::kLow;  // told, but not ranked before the change
    finding.impact = 0;
  }
  report.findings.push_back(std::move(finding));
}

}  // namespace stepscope
