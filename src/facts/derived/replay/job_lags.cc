// Fills in the factors.
#include "facts/derived/replay/job_lags.h"

#include <utility>

#include "base/robust.h"

namespace stepscope {

template class JobReplay<RecordedLags>;
template class JobReplay<ChangedLags>;
template class JobReplay<ExplainedLags>;

std::vector<float>& ChangedLags::EdgesOf(uint32_t rank) {
  OfRank& changes = changes_[rank];
  changes.any = true;
  if (changes.edges.empty()) changes.edges.assign(graph_.ranks[rank].graph.edges.size(), 1);
  return changes.edges;
}

void ChangedLags::TakeUnits(uint32_t rank, const std::vector<int64_t>& expected) {
  const OwnWork& work = graph_.work[rank];
  std::vector<float>& factors = EdgesOf(rank);
  for (size_t e = 0; e < factors.size(); ++e) {
    const uint32_t unit = work.unit_of[e];
    if (unit == kNowhere || work.times[unit] <= 0) continue;
    factors[e] *= static_cast<float>(static_cast<double>(expected[unit]) /
                                     static_cast<double>(work.times[unit]));
  }
}

void ChangedLags::ScaleUnits(uint32_t rank, std::vector<bool> chosen, double factor) {
  changes_[rank].units.push_back({std::move(chosen), static_cast<float>(factor)});
  changes_[rank].any = true;
}

void ChangedLags::ScaleEdges(uint32_t rank, const std::function<double(size_t)>& factor) {
  std::vector<float>& factors = EdgesOf(rank);
  for (size_t e = 0; e < factors.size(); ++e) factors[e] *= static_cast<float>(factor(e));
}

void ChangedLags::ScaleTransfers(const std::function<double(const JobInstance&)>& factor) {
  for (size_t i = 0; i < transfers_.size(); ++i)
    transfers_[i] *= static_cast<float>(factor(graph_.instances[i]));
}

ExplainedLags::ExplainedLags(const JobGraph& graph) : graph_(graph) {
  for (const JobRank& job : graph.ranks) {
    std::array<std::vector<int64_t>, 2> seen;
    for (uint32_t m = 1; m < job.graph.times.size(); ++m) {
      const JobEdge& decides = job.graph.EdgesOf(m).front();
      if (const auto of = WaitClass(decides)) seen[*of].push_back(decides.lag);
    }
    std::array<int64_t, 2>& usual = usual_.emplace_back();
    for (size_t c = 0; c < seen.size(); ++c) usual[c] = seen[c].empty() ? 0 : UpperMedian(seen[c]);
  }
}

}  // namespace stepscope
