// Sums the calls that wait, as Python's queues between processes and threads make them.
#include "analyses/input_pipeline_workers.h"

#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "trace/wait_names.h"

namespace stepscope::input_pipeline {
namespace {

constexpr double kHardly = 0.25;  // of the input wait

}  // namespace

std::optional<int64_t> WaitsWhileWorkersKeepUp(const Facts& facts,
                                               const std::vector<RankSteps>& ranks) {
  int64_t input = 0, waited = 0;
  bool known = false;
  for (const RankSteps& own : ranks) {
    const auto thread = TrainingThread(*facts.names, *own.rank);
    if (!thread) return std::nullopt;
    const IntervalSet stretches = StretchesOf(own, *facts.names, StepCategory::kInput);
    const std::vector<Interval> calls =
        CallsOf(own.rank->host->frames[*thread], *facts.names, WaitsForWorker);
    const IntervalSet waits = Intersection(UnionOf(calls), stretches);
    known = known || !waits.empty();
    input = AddSaturated(input, LengthOf(stretches));
    waited = AddSaturated(waited, LengthOf(waits));
  }
  const bool hardly = static_cast<double>(waited) < kHardly * static_cast<double>(input);
  return known && hardly ? std::optional(waited) : std::nullopt;
}

const std::string_view kReceiveLess =
    "receive less per batch: fewer and larger tensors, made in the worker (collate_fn), of a "
    "smaller type; or receive the next batch in a thread while this step runs";

}  // namespace stepscope::input_pipeline
