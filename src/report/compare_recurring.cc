// Implements the comparison of slow steps.
#include "report/compare_recurring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/robust.h"
#include "base/saturate.h"
#include "report/compare_sides.h"
#include "report/findings.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time, what is told
constexpr double kSlow = 1.25;      // of the median step, from which steps that recur count
constexpr double kVerySlow = 1.5;   // the same, of those that do not
constexpr double kBeyond = 4;       // deviations of steps
constexpr double kExplains = 0.5;   // of a change

// Steps of a run that recur and take longer than the others.
struct Recurring {
  PeriodOfSteps steps;
  std::optional<int64_t> rank;  // that alone has them, while others wait
  double more = 0;              // ns that one of them takes longer, in the mean
  double per_step = 0;          // the same over all steps
  double others = 0;            // ns of the other steps, their median, with waiting

  Phrase Say() const { return steps.Say(rank ? stepscope::Say(" of rank {rank}", *rank) : ""); }
};

std::string KeyOfCollectives(const StepComparison& steps) {
  const auto at =
      std::ranges::find(steps.categories, CauseKind::kCommunication, &CategoryChange::cause);
  return at == steps.categories.end() ? std::string() : at->key;
}

// Without waiting for other ranks.
Series OwnTimes(const StepSamples& samples, int64_t rank, const std::string& collectives) {
  Series own = samples.Values("time", rank, StepSamples::Which::kAll);
  if (collectives.empty()) return own;
  const Series waits = samples.Values(collectives, rank, StepSamples::Which::kAll);
  for (auto& [step, time] : own) time -= waits.at(step);
  return own;
}

std::optional<Recurring> FindIn(const Series& times, std::optional<int64_t> rank) {
  std::vector<int64_t> numbers, values;
  std::vector<double> all;
  for (const auto& [step, time] : times) {
    if (step.first != times.begin()->first.first) return std::nullopt;  // another recording
    numbers.push_back(step.second);
    values.push_back(ToInt64(time));
    all.push_back(time);
  }
  if (all.empty()) return std::nullopt;
  auto found = FindPeriodOfSteps(numbers, values, (kSlow - 1) * Median(all));
  if (!found) return std::nullopt;
  Recurring recurring{.steps = *std::move(found), .rank = rank};
  double sum = 0;
  for (const auto& [step, time] : times) {
    if (recurring.steps.numbers.contains(step.second)) sum += time - recurring.steps.usual;
  }
  recurring.more = sum / static_cast<double>(recurring.steps.numbers.size());
  recurring.per_step = sum / static_cast<double>(times.size());
  return recurring;
}

// Of the job, or else of the rank that loses the most by them.
std::optional<Recurring> FindRecurring(const StepSamples& samples, const std::string& collectives) {
  auto most = FindIn(samples.Values("time", std::nullopt, StepSamples::Which::kAll), std::nullopt);
  const std::set<int64_t> ranks = samples.Ranks();
  const bool of_job = most.has_value();
  for (const int64_t rank : ranks) {
    if (of_job || ranks.size() < 2) break;
    auto own = FindIn(OwnTimes(samples, rank, collectives), rank);
    if (own && (!most || own->per_step > most->per_step)) most = std::move(own);
  }
  if (!most) return most;
  std::vector<double> others;
  for (const auto& [step, time] : samples.Values("time", most->rank, StepSamples::Which::kAll)) {
    if (!most->steps.numbers.contains(step.second)) others.push_back(time);
  }
  most->others = Median(std::move(others));
  return most;
}

// The category that takes the most longer in these steps than in the others.
const CategoryChange* CategoryBehind(const StepComparison& steps, const Recurring& recurring) {
  const CategoryChange* most = nullptr;
  double most_more = 0;
  for (const CategoryChange& c : steps.categories) {
    if (c.key.empty()) continue;
    double in_these = 0, in_others = 0, these = 0, others = 0;
    for (const auto& [step, time] :
         steps.in_b.Values(c.key, recurring.rank, StepSamples::Which::kAll)) {
      const bool is_one = recurring.steps.numbers.contains(step.second);
      (is_one ? in_these : in_others) += time;
      ++(is_one ? these : others);
    }
    const double more = in_these / std::max(these, 1.0) - in_others / std::max(others, 1.0);
    if (more <= most_more) continue;
    most = &c;
    most_more = more;
  }
  return most;
}

double CostOf(const std::optional<Recurring>& recurring) {
  return recurring ? recurring->per_step : 0;
}

// "; none did before", "; before, every 10th step (10 and 20) took 300 ms longer".
Phrase SayOtherRun(const std::optional<Recurring>& other, bool is_before) {
  if (!other) return is_before ? "; none did before" : "; none does after";
  const std::string more = HumanTime(other->more);
  return is_before ? Say("; before, {steps} took {time} longer", other->Say(), more)
                   : Say("; after, {steps} takes {time} longer", other->Say(), more);
}

// "save (train.py:9) is new in every 5th step of rank 0 (4, 9 and 14), 20.1 ms more per step,
// 100 ms in each of these".
Phrase SayInThese(const Recurring& after, const Reason& reason, double more) {
  const std::string time = HumanTime(more), each = HumanTime(after.more);
  return reason.brief.empty()
             ? Say("{steps} takes {each} longer, {time} more per step", after.Say(), each, time)
             : Say("{reason} in {steps}, {time} more per step, {each} in each of these",
                   reason.brief, after.Say(), time, each);
}

// Where no change of functions is the reason: what the run after itself names in these steps, but
// for what is told as new.
Reason ReasonInThese(const ReportSet& b, const Recurring& after,
                     const std::vector<NewFunction>& functions) {
  for (const Finding* finding : FindingsInOrder(b)) {
    const Where& where = finding->where;
    if (where.event.empty() || !std::ranges::equal(where.steps, after.steps.numbers)) continue;
    if (std::ranges::find(functions, where.event.str(), &NewFunction::name) != functions.end())
      continue;
    const Phrase longer = Say("{name} takes longer", where.event);
    return {.is = longer, .because = {}, .hint = LookAt(where.event), .brief = longer};
  }
  return {};
}

void AddFinding(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                const std::optional<Recurring>& before, const Recurring& after, double more,
                const std::vector<NewFunction>& functions, Report& report, Leads& leads) {
  const CategoryChange* category = CategoryBehind(steps, after);
  const CauseKind cause = category == nullptr ? CauseKind::kNone : category->cause;
  Reason reason = ReasonOf(a, b, cause, after.rank, more);
  if (reason.brief.empty()) reason = ReasonInThese(b, after, functions);
  const Phrase most = category == nullptr ? "" : Say(", most of it {category}", category->part);
  const Phrase message =
      Say("{steps} takes {time} longer on average{other_run}{why}.", Capitalized(after.Say()),
          HumanTime(after.more), SayOtherRun(before, true), AfterColon(reason));
  leads.more.push_back({message, SayInThese(after, reason, more), more});
  report.findings.push_back(
      {.message = message,
       .because = Say("{before} per step for them before, {after} after{most}; the other steps "
                      "take {others} (median, after){because}",
                      HumanTime(CostOf(before)), HumanTime(after.per_step), most,
                      HumanTime(after.others), reason.because),
       .hint = "do what recurs in these steps (checkpoints, evaluation, logging) less often or in "
               "the background",
       .impact = ToInt64(more),
       .table = "categories",
       .cause = {cause, after.rank},
       .nearness = Nearness::kCause,
       .extent = {.time = ToInt64(steps.b), .steps = 1}});
}

// "save (train.py:9) no longer runs in every 5th step of rank 0 (4, 9 and 14), 20.1 ms less per
// step, 100 ms in each of these". What others tell of that rank gives way.
void AddLeadOfLess(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                   const Recurring& before, double less, const Phrase& message, Leads& leads) {
  const StepComparison back = Swapped(steps);
  const CategoryChange* category = CategoryBehind(back, before);
  const CauseKind cause = category == nullptr ? CauseKind::kNone : category->cause;
  const Reason reason = ReasonOf(a, b, cause, before.rank, -less);
  if (reason.brief.empty()) return;
  std::erase_if(leads.less, [&](const Lead& lead) { return lead.clause.contains(reason.brief); });
  leads.less.push_back({message,
                        Say("{reason} in {steps}, {time} less per step, {each} in each of these",
                            reason.brief, before.Say(), HumanTime(less), HumanTime(before.more)),
                        less});
}

// The slow steps of a run: of the job, or those of one rank, which the others wait for.
struct Slow {
  std::optional<int64_t> rank;
  std::vector<int64_t> numbers;
  double others = 0;    // ns of the other steps, their median, with waiting
  double per_step = 0;  // ns beyond the median, over all steps
  size_t of = 0;
};

Slow SlowIn(const Series& times, const Series& with_waiting, std::optional<int64_t> rank) {
  std::vector<double> all, others;
  for (const auto& [step, time] : times) all.push_back(time);
  if (all.empty()) return {};
  const double median = Median(all);
  Slow slow{.rank = rank, .numbers = {}, .of = all.size()};
  for (double& time : all) time = std::abs(time - median);
  const double least =
      std::max(kVerySlow * median, median + kBeyond * kDeviationPerMad * Median(all));
  for (const auto& [step, time] : times) {
    if (time < least) {
      others.push_back(with_waiting.at(step));
      continue;
    }
    slow.numbers.push_back(step.second);
    slow.per_step += (time - median) / static_cast<double>(times.size());
  }
  slow.others = Median(std::move(others));
  return slow;
}

Slow SlowStepsOf(const StepSamples& samples, const std::string& collectives) {
  constexpr auto kAll = StepSamples::Which::kAll;
  const Series of_job = samples.Values("time", std::nullopt, kAll);
  Slow most = SlowIn(of_job, of_job, std::nullopt);
  const std::set<int64_t> ranks = samples.Ranks();
  if (ranks.size() < 2) return most;
  for (const int64_t rank : ranks) {
    Slow own =
        SlowIn(OwnTimes(samples, rank, collectives), samples.Values("time", rank, kAll), rank);
    if (own.per_step > most.per_step) most = std::move(own);
  }
  return most;
}

Phrase SayCount(const Slow& slow) {
  constexpr size_t kMostNamed = 6;
  if (slow.numbers.empty()) return "none";
  std::string numbers;
  for (const int64_t number : slow.numbers)
    numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", number);
  return Say("{count} of {all}{of_rank}{numbers}", slow.numbers.size(), slow.of,
             slow.rank ? Say(" of rank {rank}", *slow.rank) : "",
             slow.numbers.size() <= kMostNamed ? " (" + numbers + ")" : "");
}

// Where most of a change is in slow steps that the other run has fewer of.
Phrase SayOthers(const StepComparison& steps, const std::string& collectives) {
  const double change = steps.b - steps.a;
  if (std::abs(change) < kMinShare * std::max(steps.a, steps.b)) return {};
  const Slow before = SlowStepsOf(steps.in_a, collectives),
             after = SlowStepsOf(steps.in_b, collectives);
  if ((after.per_step - before.per_step) / change < kExplains) return {};
  return Say(
      " Slow steps: {before} before, {after} after. Without them a step takes {step_before} "
      "before, {step_after} after (median).",
      SayCount(before), SayCount(after), HumanTime(before.others), HumanTime(after.others));
}

}  // namespace

SlowStepChange AddSlowSteps(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                            const std::vector<NewFunction>& functions, Report& report,
                            Leads& leads) {
  const std::string collectives = KeyOfCollectives(steps);
  const auto before = FindRecurring(steps.in_a, collectives),
             after = FindRecurring(steps.in_b, collectives);
  const double more = CostOf(after) - CostOf(before);
  if (std::abs(more) < kMinShare * std::max(steps.a, steps.b)) {
    Phrase others = steps.IsNoise() ? SayOthers(steps, collectives) : Phrase();
    const bool is_told = !others.empty();
    return {.headline = std::move(others), .is_told = is_told};
  }
  if (more > 0 && after) {
    AddFinding(a, b, steps, before, *after, more, functions, report, leads);
    return {.headline = {},
            .is_told = true,
            .on_a_rank = after->rank.has_value(),
            .time = more,
            .message = report.findings.back().message,
            .steps = after->steps.Say(),
            .rank = after->rank,
            .numbers = after->steps.numbers};
  }
  if (!before) return {};
  Phrase headline =
      Say(" {steps} took {time} longer on average before{other_run}.", Capitalized(before->Say()),
          HumanTime(before->more), SayOtherRun(after, false));
  if (!after) AddLeadOfLess(a, b, steps, *before, -more, headline, leads);
  return {.headline = std::move(headline), .is_told = true};
}

}  // namespace stepscope::comparison
