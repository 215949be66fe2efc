// Joins traces and goodput events: traces first, because they give the step time.
#include "stepscope/goodput_walk.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/time_units.h"
#include "session/walk_advice.h"

namespace stepscope {
namespace {

// What the walk takes from traces.
struct Traced {
  ReportSet answer;
  std::vector<TracedStep> steps;
};

Result<Traced> AskTraces(std::span<const std::string> traces, const WalkOptions& walk,
                         const GoodputReportOptions& options) {
  const std::stop_token& stop = options.stop;
  OpenOptions open{.analyses = {"overview", "input_pipeline", "temporal_breakdown", "comm_overlap",
                                "idle_time", "stragglers", "flops", "kernel_breakdown"},
                   .threads = walk.threads,
                   .max_input = options.max_input,
                   .on_progress = walk.on_progress,
                   .stop = stop};
  const auto session = Session::Open(traces, open);
  if (!session) return std::unexpected(session.error());
  auto answer = session->Analyze({.stop = stop});
  if (!answer) return std::unexpected(answer.error());
  return Traced{std::move(*answer), session->StepsOnClock()};
}

std::optional<int64_t> StepTimeIn(const ReportSet& answer) {
  for (const Report& report : answer.reports) {
    for (const Metric& metric : report.metrics) {
      const auto* time = std::get_if<int64_t>(&metric.value);
      const bool asked = report.analysis == "temporal_breakdown" && metric.key == "step_time";
      if (asked && time != nullptr && *time > 0) return *time;
    }
  }
  return std::nullopt;
}

// Without traces of this job, their findings are of no use to it.
bool AreOfTheJob(const ReportSet& answer) {
  return std::ranges::none_of(answer.reports, [](const Report& report) {
    return report.analysis == "walk" && report.status == Status::kUnavailable;
  });
}

}  // namespace

Result<ReportSet> GoodputWalk(GoodputReportOptions options, std::span<const std::string> traces,
                              const WalkOptions& walk) {
  auto traced = AskTraces(traces, walk, options);
  if (!traced) return std::unexpected(traced.error());
  ReportSet& of_traces = traced->answer;
  const auto step_time = StepTimeIn(of_traces);
  options.traced = TracedTime{.step_time = step_time.value_or(0), .steps = traced->steps};
  if (walk.tokens_per_step > 0 && options.program) {
    if (!step_time) {
      return std::unexpected(Error{"the traces have no step time", traces[0],
                                   "record several steps and call profiler.step() in the loop, or "
                                   "give tokens per second"});
    }
    options.program->tokens_per_second = walk.tokens_per_step / Seconds(*step_time);
    options.traced->of_program = true;
  }
  if (options.program) {
    const UseOfMatrices use = MatricesIn(of_traces);
    options.program->matrix_share = use.share;
    options.program->fused_attention = use.fused_attention;
  }
  auto answer = GoodputReport(options);
  if (!answer) return answer;
  const bool own = AreOfTheJob(*answer);
  if (own) {
    NameSlowKernels(of_traces);
    AddAdvice(*answer, of_traces, options.price_per_chip_hour);
    answer->verdict += " In its steps: " + of_traces.verdict;
  }
  std::ranges::move(of_traces.reports, std::back_inserter(answer->reports));
  std::ranges::move(of_traces.run.files, std::back_inserter(answer->run.files));
  std::ranges::move(of_traces.run.notes, std::back_inserter(answer->run.notes));
  answer->run.ranks = of_traces.run.ranks;
  return answer;
}

}  // namespace stepscope
