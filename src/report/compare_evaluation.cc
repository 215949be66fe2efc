// Implements the comparison of evaluation.
#include "report/compare_evaluation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/saturate.h"
#include "report/compare_read.h"
#include "report/compare_sides.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time, what is told

}  // namespace

Phrase SayEvaluation(const ReportSet& a, const ReportSet& b) {
  constexpr double kMuch = 0.1;  // of the trace
  const auto share = [](const ReportSet& run) {
    return MetricOf(run, "overview", "evaluation_ratio");
  };
  if (std::abs(share(b) - share(a)) < kMuch) return {};
  const auto say = [&](const ReportSet& run, bool is_before) -> Phrase {
    const auto runs = static_cast<size_t>(MetricOf(run, "overview", "evaluation_runs"));
    if (runs == 0) return is_before ? "none before" : "none after";
    const Phrase count = Plural(runs, "run");
    const std::string time = HumanTime(MetricOf(run, "overview", "evaluation_time")),
                      of_trace = HumanRatio(share(run));
    return is_before ? Say("{runs} and {time} before ({share} of the trace)", count, time, of_trace)
                     : Say("{runs} and {time} after ({share} of the trace)", count, time, of_trace);
  };
  return Say("Evaluation between steps: {before}, {after}.", say(a, true), say(b, false));
}

bool EvaluationDiffers(const ReportSet& a, const ReportSet& b, const StepComparison& steps) {
  return std::abs(MoreEvaluation(a, b)) >= kMinShare * std::max(steps.a, steps.b);
}

double AddEvaluationFinding(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                            Report& report) {
  const double more = MoreEvaluation(a, b);
  if (more < 0 || !EvaluationDiffers(a, b, steps)) return 0;
  const std::string function = TextOf(b, "overview", "evaluation_function"),
                    after = TextOf(b, "overview", "evaluation_after");
  const Phrase when = after.empty()      ? Phrase()
                      : function.empty() ? Say(": it runs after {steps}", after)
                                         : Say(" after {steps}", after);
  report.findings.push_back(
      {.message =
           Say("Evaluation between steps takes {time} more per step{function}{when}.",
               HumanTime(more), function.empty() ? Phrase() : ": " + Phrase::Name(function), when),
       .because = Say("{before} per step before, {after} after; step time leaves it out",
                      HumanTime(EvaluationPerStep(a)), HumanTime(EvaluationPerStep(b))),
       .hint = "evaluate less often, on fewer batches, or in another job, if that is not what "
               "was changed on purpose",
       .impact = ToInt64(more),
       .table = "categories",
       .nearness = Nearness::kCause,
       .extent = {.time = ToInt64(steps.b), .steps = 1}});
  return more;
}

}  // namespace stepscope::comparison
