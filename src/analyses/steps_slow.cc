// Tells of steps that take much longer than the median, and what they have in common.
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
#include "analyses/steps_slow_found.h"
#include "base/distribution.h"
#include "base/saturate.h"
#include "facts/derived/lateness/slow_rank.h"
#include "facts/derived/lateness/step_blame.h"
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

// Slow steps that have something in common.
struct Recurring {
  std::set<int64_t> numbers;
  std::optional<PeriodOfSteps> period;  // absent: at no regular distance
  bool on_rank = false;  // of the slowest step's rank, while others wait in other steps
};

// As long as the job's steps are, or else as long as those of the slowest one's rank are without
// waiting for others.
std::optional<Recurring> FindPeriod(const std::vector<RankSteps>& ranks, const JobSteps& job,
                                    const RankStep& slowest, double least) {
  auto found = FindPeriodOfSteps(job.numbers, job.means, least);
  if (found && found->numbers.contains(slowest.Number()))
    return Recurring{found->numbers, std::move(found)};
  if (ranks.size() < 2) return std::nullopt;
  std::vector<int64_t> numbers, times;
  for (const StepBreakdown& step : slowest.rank->steps) {
    numbers.push_back(step.window.number);
    times.push_back(RankStep{slowest.rank, &step}.OwnTime());
  }
  found = FindPeriodOfSteps(numbers, times, least);
  if (!found || !found->numbers.contains(slowest.Number())) return std::nullopt;
  std::vector<int64_t> usual, high;
  for (const StepBreakdown& step : slowest.rank->steps)
    (found->numbers.contains(step.window.number) ? high : usual).push_back(step.Total());
  found->usual = static_cast<double>(Describe(usual).p50);
  found->high = static_cast<double>(Describe(high).p50);
  return Recurring{found->numbers, std::move(found), true};
}

// Slow steps of the slowest one's rank that take half as much longer by themselves, or more.
std::set<int64_t> Alike(const SlowSteps& found, const UsualTime& usual) {
  std::set<int64_t> alike = {found.slowest.Number()};
  const int64_t half = (found.slowest.Time() - usual.Of(found.slowest)) / 2;
  for (const RankStep& s : found.all) {
    if (s.rank == found.slowest.rank && s.OwnTime() - usual.Of(s) >= half) alike.insert(s.Number());
  }
  return alike;
}

// "; other ranks wait for it in the next step", where these are the only other slow steps.
Phrase SayEcho(const SlowSteps& found, const Recurring& recurring) {
  const int64_t rank = found.slowest.rank->rank->rank;
  const std::set<int64_t>& numbers = recurring.numbers;
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

// Where so many are slow, they are no exception.
bool AreMany(const SlowSteps& found) { return kMostSlow * found.count > found.of; }

// Several steps of one rank with the same function behind them, at no regular distance.
std::optional<Recurring> FindRepeated(const Facts& facts, const SlowSteps& found,
                                      const UsualTime& usual, Behind& behind) {
  std::set<int64_t> alike = Alike(found, usual);
  if (alike.size() < 2 || AreMany(found)) return std::nullopt;
  const int64_t excess = found.slowest.Time() - usual.Of(found.slowest);
  Behind shared = FindBehind(facts, found.slowest, alike, excess / (2 * kMost));
  if (!shared.function || !behind.function || shared.function->name != behind.function->name)
    return std::nullopt;
  behind = std::move(shared);
  return Recurring{std::move(alike), std::nullopt, true};
}

std::string Times(double time, double usual) { return fmt::format("{:.1f}×", time / usual); }

bool AreSlowOnAll(const std::vector<RankSteps>& ranks, const SlowSteps& found,
                  const std::set<int64_t>& numbers) {
  const std::set<int64_t> all = RankNumbersOf(ranks);
  return all.size() > 1 && std::ranges::all_of(numbers, [&](int64_t number) {
           return found.ranks.at(number).size() == all.size();
         });
}

// "Steps 5 and 10", "5 of 40 steps".
Phrase SaySteps(const std::set<int64_t>& numbers, size_t of) {
  constexpr size_t kMostNumbers = 4;
  if (numbers.size() > kMostNumbers) return Say("{count} of {all} steps", numbers.size(), of);
  const std::vector<int64_t> all(numbers.begin(), numbers.end());
  return Say("Steps {steps} and {last}", AllButLast(all), all.back());
}

// "Step 12 of rank 0 took 8.0× the median step time.", or of all ranks, or of every 5th step, or
// "Steps 5 and 10 of rank 1 took up to 1.9× the median step time."
Phrase Message(const std::vector<RankSteps>& ranks, const SlowSteps& found,
               const std::optional<Recurring>& recurring, const Behind& behind, int64_t median) {
  const RankStep& slowest = found.slowest;
  const int64_t rank = slowest.rank->rank->rank;
  if (recurring && recurring->period) {
    const Phrase of = recurring->on_rank ? Say(" of rank {rank}", rank) : Phrase();
    return Say("{which} takes {times} the median of the other steps{behind}.",
               Capitalized(recurring->period->Say(of)),
               Times(recurring->period->high, recurring->period->usual), behind.Say(false));
  }
  const std::string times = Times(static_cast<double>(slowest.Time()), static_cast<double>(median));
  if (recurring) {
    const Phrase steps = SaySteps(recurring->numbers, slowest.rank->steps.size());
    return AreSlowOnAll(ranks, found, recurring->numbers)
               ? Say("{steps} took up to {times} the median step time on rank {rank}, and are slow "
                     "on all ranks{behind}.",
                     steps, times, rank, behind.Say(false))
               : Say("{steps} of rank {rank} took up to {times} the median step time{behind}.",
                     steps, rank, times, behind.Say(false));
  }
  return AreSlowOnAll(ranks, found, {slowest.Number()})
             ? Say("Step {step} took {times} the median step time on rank {rank}, and is slow on "
                   "all ranks{behind}.",
                   slowest.Number(), times, rank, behind.Say(true))
             : Say("Step {step} of rank {rank} took {times} the median step time{behind}.",
                   slowest.Number(), rank, times, behind.Say(true));
}

// The steps that the message names, the rank, and the function.
Where WhereOf(const RankStep& slowest, const std::optional<Recurring>& recurring,
              const Behind& behind) {
  Where where{.steps = {slowest.Number()}};
  if (recurring) where.steps.assign(recurring->numbers.begin(), recurring->numbers.end());
  if (!recurring || recurring->on_rank) where.ranks = {slowest.rank->rank->rank};
  if (behind.function) where.event = Phrase::Name(LabelOf(behind.function->name));
  return where;
}

// The rank that most of these steps' waits in collectives are for, where there is one.
std::optional<int64_t> WaitedForIn(const Facts& facts, const std::set<int64_t>& numbers) {
  const auto rank =
      BlameIn(facts, [&](int64_t step) { return numbers.contains(step); }).MostBlamed();
  return rank ? std::optional(facts.collectives.ranks[*rank].rank) : std::nullopt;
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
    if (recurring.numbers.contains(step.window.number)) in_these = AddSaturated(in_these, time);
  }
  finding.cause.step.reset();
  if (recurring.on_rank) finding.cause.rank = slowest.rank->rank->rank;
  // Who tells the share of compilation tells what is compiled.
  finding.nearness = category == StepCategory::kCompilation ? Nearness::kSymptom
                     : in_these >= all / 2                  ? Nearness::kCause
                                                            : Nearness::kPart;
}

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
  auto recurring =
      steps_slow::FindPeriod(ranks, steps, slowest, (slow - 1) * static_cast<double>(median));
  const auto excess = recurring
                          ? static_cast<int64_t>(recurring->period->high - recurring->period->usual)
                          : slowest.Time() - median;
  steps_slow::Behind behind = steps_slow::FindBehind(
      facts, slowest, recurring ? recurring->numbers : std::set<int64_t>{slowest.Number()},
      excess / steps_slow::kMost);
  if (!recurring) recurring = steps_slow::FindRepeated(facts, found, usual, behind);
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
  // Steps that are longer for waiting are due to the rank that is waited for.
  const bool waits = grew.category == StepCategory::kDeviceCollectives;
  const auto named = recurring ? recurring->numbers : std::set<int64_t>{slowest.Number()};
  if (const auto rank = waits ? steps_slow::WaitedForIn(facts, named) : std::nullopt) {
    finding.cause.kind = CauseKind::kWait;
    finding.cause.rank = rank;
    finding.nearness = Nearness::kSymptom;
  }
  report.findings.push_back(std::move(finding));
}

}  // namespace stepscope
