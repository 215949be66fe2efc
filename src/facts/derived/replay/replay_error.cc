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

UnchangedReplay ReplayUnchanged(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  const JobTimes times = ReplayJob(graph, RecordedLags{&graph});
  return {.steps = StepLengths(graph, times), .waits = WaitsIn(graph, times)};
}

// ns of each step of each rank.
std::vector<int64_t> LengthsOfRanks(const JobGraph& graph, const JobTimes& times) {
  std::vector<int64_t> lengths;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const JobRank& job = graph.ranks[r];
    const StepMark* before = nullptr;
    for (const StepMark& mark : job.marks) {
      const int64_t since = before == nullptr ? AddSaturated(job.origin, times[r][mark.begin])
                                              : EndOfStep(graph, times, r, *before);
      lengths.push_back(SubtractSaturated(EndOfStep(graph, times, r, mark), since));
      before = &mark;
    }
  }
  return lengths;
}

ReplayError CompareReplay(const Facts& facts) {
  const JobGraph& graph = JobGraphOf(facts);
  const std::vector<int64_t> recorded = LengthsOfRanks(graph, RecordedTimes(graph));
  const std::vector<int64_t> replayed =
      LengthsOfRanks(graph, ReplayJob(graph, ExplainedLags(graph)));
  ReplayError error;
  std::vector<double> errors;
  for (const JobRank& job : graph.ranks) {
    for (const StepMark& mark : job.marks) {
      const size_t i = error.steps.size();
      error.steps.push_back({job.rank->rank, mark.step, recorded[i], replayed[i]});
      errors.push_back(error.steps.back().Error());
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

double ReplayError::MeanSince(std::optional<int64_t> since) const {
  double off = 0, all = 0;
  for (const ReplayedStep& step : steps) {
    if (since && step.step < *since) continue;
    off += step.Error() * static_cast<double>(step.measured);
    all += static_cast<double>(step.measured);
  }
  return all == 0 ? 0 : off / all;
}

const UnchangedReplay& UnchangedReplayOf(const Facts& facts) {
  return facts.memo.Of<ReplayUnchanged>(facts);
}

const ReplayError& ReplayErrorOf(const Facts& facts) { return facts.memo.Of<CompareReplay>(facts); }

}  // namespace stepscope
