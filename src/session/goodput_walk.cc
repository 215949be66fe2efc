// Joins traces and goodput events: traces first, because they give the step time.
#include "stepscope/goodput_walk.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/time_units.h"

namespace stepscope {
namespace {

Result<ReportSet> AskTraces(std::span<const std::string> traces, const WalkOptions& walk) {
  OpenOptions open{.analyses = {"overview", "input_pipeline", "temporal_breakdown", "comm_overlap",
                                "idle_time", "stragglers", "flops", "kernel_breakdown"},
                   .threads = walk.threads,
                   .on_progress = walk.on_progress};
  const auto session = Session::Open(traces, open);
  if (!session) return std::unexpected(session.error());
  return session->Analyze();
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

}  // namespace

Result<ReportSet> GoodputWalk(GoodputReportOptions options, std::span<const std::string> traces,
                              const WalkOptions& walk) {
  auto of_traces = AskTraces(traces, walk);
  if (!of_traces) return of_traces;
  if (walk.tokens_per_step > 0 && options.program) {
    const auto step_time = StepTimeIn(*of_traces);
    if (!step_time) {
      return std::unexpected(Error{"the traces have no step time", traces[0],
                                   "record several steps and call profiler.step() in the loop, or "
                                   "give tokens per second"});
    }
    options.program->tokens_per_second = walk.tokens_per_step / Seconds(*step_time);
  }
  auto answer = GoodputReport(options);
  if (!answer) return answer;
  std::ranges::move(of_traces->reports, std::back_inserter(answer->reports));
  std::ranges::move(of_traces->run.files, std::back_inserter(answer->run.files));
  std::ranges::move(of_traces->run.notes, std::back_inserter(answer->run.notes));
  answer->run.ranks = of_traces->run.ranks;
  answer->verdict += " In its steps: " + of_traces->verdict;
  return answer;
}

}  // namespace stepscope
