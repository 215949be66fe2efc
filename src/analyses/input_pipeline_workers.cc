// Sums the calls that wait, as Python's queues between processes and threads make them.
#include "analyses/input_pipeline_workers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/intervals.h"
#include "base/saturate.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "trace/frame_name.h"

namespace stepscope::input_pipeline {
namespace {

constexpr double kHardly = 0.25;  // of the input wait

// A queue of processes waits in poll(), a queue of threads for a lock.
bool Waits(const FrameName& frame) {
  constexpr auto kMethods =
      std::to_array<std::string_view>({"poll", "select", "epoll", "acquire", "__enter__"});
  const std::string_view function = frame.function;
  const std::string_view method = function.substr(function.rfind('.') + 1);
  return frame.file.empty() && std::ranges::find(kMethods, method) != kMethods.end();
}

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
        CallsOf(own.rank->host->frames[*thread], *facts.names, Waits);
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
