// Sums the runs of evaluation over ranks.
#include "analyses/overview_evaluation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <vector>

#include "analyses/build.h"
#include "analyses/overview_findings.h"
#include "base/saturate.h"
#include "facts/derived/python/leading_function.h"
#include "facts/derived/steps/step_categories.h"
#include "report/humanize.h"
#include "report/period_of_steps.h"

namespace stepscope::overview {
namespace {

struct Sums {
  int64_t ranks = 0;               // that evaluate
  int64_t steps = 0;               // complete ones of the same ranks
  int64_t time = 0, recorded = 0;  // ns, of all ranks
  int64_t runs = 0, calls = 0;
  StringId function = kNoString;  // with the most time
};

Sums SumOf(const Facts& facts) {
  Sums sums;
  std::map<StringId, int64_t> times;
  for (const RankActivity& rank : facts.ranks) {
    const auto whole = WholeRecording(rank);
    if (rank.evaluations.empty() || !whole) continue;
    ++sums.ranks;
    for (const RankSteps& own : RankStepsOf(facts)) {
      if (own.rank == &rank && !own.whole_recording) sums.steps += std::ssize(own.steps);
    }
    sums.recorded = AddSaturated(sums.recorded, whole->end - whole->start);
    sums.time = AddSaturated(sums.time, EvaluationTimeOf(rank));
    for (const EvaluationRun& run : rank.evaluations) {
      const int64_t time = run.end - run.start;
      int64_t& own = times[run.function];
      own = AddSaturated(own, time);
      sums.calls = AddSaturated(sums.calls, run.calls);
      ++sums.runs;
    }
  }
  if (times.empty()) return sums;
  sums.function =
      std::ranges::max_element(times, {}, [](const auto& of_one) { return of_one.second; })->first;
  return sums;
}

// Numbers of the steps after which evaluation runs: of the first rank that has any.
std::vector<int64_t> StepsBefore(const RankActivity& rank) {
  std::set<int64_t> numbers;
  for (const EvaluationRun& run : rank.evaluations) {
    const auto next = std::ranges::lower_bound(rank.steps, run.start, {}, &Step::start);
    if (next != rank.steps.begin()) numbers.insert(std::prev(next)->number);
  }
  return {numbers.begin(), numbers.end()};
}

// "every 5th step (4, 9 and 14)", "steps 4 and 8", "12 steps"; empty: unknown.
Phrase SaySteps(const std::vector<int64_t>& numbers) {
  constexpr size_t kMostNamed = 5, kRecurs = 3;
  if (numbers.empty()) return {};
  const int64_t every = numbers.size() > 1 ? numbers[1] - numbers[0] : 0;
  const PeriodOfSteps period{.numbers = {numbers.begin(), numbers.end()}, .every = every};
  bool regular = numbers.size() >= kRecurs;
  for (size_t i = 2; i < numbers.size(); ++i) regular &= numbers[i] - numbers[i - 1] == every;
  if (regular) return period.Say();
  if (numbers.size() > kMostNamed) return Plural(numbers.size(), "step");
  if (numbers.size() == 1) return Say("step {step}", numbers.front());
  const auto first = std::span(numbers).first(numbers.size() - 1);
  return Say("steps {steps} and {last}", fmt::format("{}", fmt::join(first, ", ")), numbers.back());
}

// What runs it, when, and what it costs per step, which no step has.
struct Course {
  Phrase function, after;  // empty: unknown
  int64_t per_step = 0;    // ns; 0: unknown
};

Course CourseOf(const Facts& facts, const Sums& sums) {
  const auto rank = std::ranges::find_if(
      facts.ranks, [](const RankActivity& r) { return !r.evaluations.empty(); });
  const auto function = EvaluatingFunction(facts, *rank);
  return {function ? SayLeader(*function) : Phrase(), SaySteps(StepsBefore(*rank)),
          sums.steps > 0 ? sums.time / sums.steps : 0};
}

void AddMetrics(const Sums& sums, const Course& course, Report& report) {
  report.metrics.push_back({"evaluation_time", "evaluation between steps", sums.time / sums.ranks,
                            Unit::kNanoseconds, true});
  report.metrics.push_back(
      {"evaluation_runs", "evaluations", sums.runs / sums.ranks, Unit::kCount, true});
  report.metrics.push_back({"evaluation_ratio", "evaluation, % of the trace",
                            Ratio(sums.time, sums.recorded), Unit::kRatio, true});
  report.metrics.push_back(
      {"evaluation_per_step", "evaluation, per step", course.per_step, Unit::kNanoseconds, true});
  report.metrics.push_back({"evaluation_function", "function of evaluation",
                            When(!course.function.empty(), course.function.str()), Unit::kNone,
                            true});
  report.metrics.push_back({"evaluation_after", "steps before evaluation",
                            When(!course.after.empty(), course.after.str()), Unit::kNone, true});
}

Phrase SayPerStep(const Sums& sums, const Course& course) {
  if (course.per_step == 0 || course.after.empty()) return {};
  const bool several = sums.function == kNoString;
  Phrase runs = several ? "They run" : "It runs";
  if (!course.function.empty()) {
    runs = several ? Say("{function} runs them", course.function)
                   : Say("{function} runs it", course.function);
  }
  return Say(" {runs} after {steps}: {time} per step, which step time leaves out.", runs,
             course.after, HumanTime(static_cast<double>(course.per_step)));
}

// "213 ms in 4 runs".
Phrase SayRuns(const Sums& sums) {
  return Say("{time} in {runs}", HumanTime(static_cast<double>(sums.time / sums.ranks)),
             Plural(static_cast<size_t>(sums.runs / sums.ranks), "run"));
}

// "4 calls of jit_evaluate"; empty: it is no one function.
Phrase SayCalls(const Facts& facts, const Sums& sums) {
  if (sums.function == kNoString) return {};
  return Say("{calls} of {function}", Plural(static_cast<size_t>(sums.calls / sums.ranks), "call"),
             Phrase::Name(std::string((*facts.names)[sums.function])));
}

double ShareOf(const Sums& sums) {
  return static_cast<double>(sums.time) / static_cast<double>(std::max<int64_t>(sums.recorded, 1));
}

// What comes once in a recording says nothing of how often it comes.
bool IsWorthAFinding(const Sums& sums, const Course& course) {
  constexpr double kMuch = 0.1;  // of the trace
  return course.per_step > 0 && !course.after.empty() && sums.runs / sums.ranks >= 2 &&
         ShareOf(sums) >= kMuch;
}

// Where one rank of several evaluates, the others wait for it, which is nearer to what it costs.
Cause CauseOf(const Facts& facts) {
  std::set<int64_t> ranks;
  bool any_other = false;
  for (const RankActivity& rank : facts.ranks) {
    if (rank.evaluations.empty())
      any_other = true;
    else
      ranks.insert(rank.rank);
  }
  if (ranks.size() != 1 || !any_other) return {};
  return {CauseKind::kHost, *ranks.begin()};
}

void AddFinding(const Facts& facts, const Sums& sums, const Course& course, Report& report) {
  const Phrase calls = SayCalls(facts, sums);
  const Cause cause = CauseOf(facts);
  report.findings.push_back(
      {.message = Say("Evaluation after {steps} takes {share} of the trace{function}.",
                      course.after, HumanRatio(ShareOf(sums)),
                      course.function.empty() ? Phrase() : Say(", in {function}", course.function)),
       .because = Say("{runs}{calls}: forward passes without training; {time} per step, which step "
                      "time leaves out",
                      SayRuns(sums), calls.empty() ? Phrase() : Say(" ({calls})", calls),
                      HumanTime(static_cast<double>(course.per_step))),
       .hint = "if it is not meant to be: evaluate less often, on fewer batches, or in another job",
       .impact = sums.time / sums.ranks,
       .table = "step_time",
       .cause = cause,
       .nearness = cause.rank ? Nearness::kPart : Nearness::kCause,
       .extent = {.time = sums.recorded / sums.ranks,
                  .steps = static_cast<double>(sums.steps) / static_cast<double>(sums.ranks)},
       .at_most = Severity::kMedium});
}

}  // namespace

Phrase AddEvaluation(const Facts& facts, Report& report) {
  if (!facts.selected.empty()) return {};
  const Sums sums = SumOf(facts);
  if (sums.ranks == 0) return {};
  const Course course = CourseOf(facts, sums);
  AddMetrics(sums, course, report);
  if (IsWorthAFinding(sums, course)) {
    AddFinding(facts, sums, course, report);
    return {};
  }
  if (ShareOf(sums) < kModerately) return {};
  const Phrase said = Say("{runs}: {share} of the trace", SayRuns(sums), HumanRatio(ShareOf(sums)));
  if (sums.function == kNoString) {
    return Say(" Forward passes without training (evaluation, generation) take {time}.", said) +
           SayPerStep(sums, course);
  }
  return Say(" Evaluation between steps takes {time} ({calls}).", said, SayCalls(facts, sums)) +
         SayPerStep(sums, course);
}

}  // namespace stepscope::overview
