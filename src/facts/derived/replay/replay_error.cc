// Replays a job without changes.
#include "facts/derived/replay/replay_error.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/robust.h"
#include "base/saturate.h"
#include "facts/derived/replay/job_lags.h"
#include "facts/derived/replay/join_ranks.h"

namespace stepscope {
namespace {

ReplayError CompareReplay(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  const JobTimes recorded = RecordedTimes(graph);
  const JobTimes replayed = ReplayJob(graph, ExplainedLags(graph));
  ReplayError error;
  std::vector<double> errors;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const JobRank& job = graph.ranks[r];
    const StepMark* before = nullptr;
    for (const StepMark& mark : job.marks) {
      const auto length = [&](const JobTimes& times) {
        const int64_t since = before == nullptr ? AddSaturated(job.origin, times[r][mark.begin])
                                                : EndOfStep(graph, times, r, *before);
        return SubtractSaturated(EndOfStep(graph, times, r, mark), since);
      };
      error.steps.push_back({job.rank->rank, mark.step, length(recorded), length(replayed)});
      errors.push_back(error.steps.back().Error());
      before = &mark;
    }
  }
  if (errors.empty()) return error;
  error.worst = std::ranges::max(errors);
  error.median = Median(std::move(errors));
  return error;
}

}  // namespace

double ReplayedStep::Error() const {
  if (measured == 0) return 0;
  const double off = std::abs(static_cast<double>(SubtractSaturated(replayed, measured)));
  return off / static_cast<double>(measured);
}

const ReplayError& ReplayErrorOf(const Facts& facts) { return facts.memo.Of<CompareReplay>(facts); }

}  // namespace stepscope
