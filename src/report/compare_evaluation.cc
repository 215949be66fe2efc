// Implements the comparison of evaluation.
#include "report/compare_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/saturate.h"
#include "report/compare_read.h"
#include "report/compare_sides.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time, what is told

}  // namespace

std::string SayEvaluation(const ReportSet& a, const ReportSet& b) {
  constexpr double kMuch = 0.1;  // of the trace
  const auto share = [](const ReportSet& run) {
    return MetricOf(run, "overview", "evaluation_ratio");
  };
  if (std::abs(share(b) - share(a)) < kMuch) return {};
  const auto say = [&](const ReportSet& run, std::string_view side) {
    const auto runs = static_cast<size_t>(MetricOf(run, "overview", "evaluation_runs"));
    if (runs == 0) return fmt::format("none {}", side);
    return fmt::format("{} and {} {} ({} of the trace)", Plural(runs, "run"),
                       HumanTime(MetricOf(run, "overview", "evaluation_time")), side,
                       HumanRatio(share(run)));
  };
  return fmt::format("Evaluation between steps: {}, {}. ", say(a, "before"), say(b, "after"));
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
  report.findings.push_back(
      {.message = fmt::format("Evaluation between steps takes {} more per step{}{}.",
                              HumanTime(more), function.empty() ? "" : ": " + function,
                              after.empty()      ? ""
                              : function.empty() ? ": it runs after " + after
                                                 : " after " + after),
       .because = fmt::format("{} per step before, {} after; step time leaves it out",
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
