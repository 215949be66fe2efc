// Fills in the factors.
#include "facts/derived/replay/job_lags.h"

#include "base/robust.h"

namespace stepscope {

template class JobReplay<RecordedLags>;
template class JobReplay<ChangedLags>;
template class JobReplay<ExplainedLags>;

void ChangedLags::TakeUnits(const OwnWork& work, uint32_t rank,
                            const std::vector<int64_t>& expected) {
  std::vector<float> of_units;
  of_units.reserve(work.times.size());
  for (size_t u = 0; u < work.times.size(); ++u) {
    const auto now = static_cast<double>(work.times[u]);
    of_units.push_back(now <= 0 ? 1.0F
                                : static_cast<float>(static_cast<double>(expected[u]) / now));
  }
  std::vector<float>& factors = factors_[rank];
  if (factors.empty()) factors.assign(work.unit_of.size(), 1);
  for (size_t e = 0; e < factors.size(); ++e) {
    if (work.unit_of[e] != kNowhere) factors[e] *= of_units[work.unit_of[e]];
  }
}

void ChangedLags::ScaleEdges(uint32_t rank, const std::function<double(size_t)>& factor) {
  std::vector<float>& factors = factors_[rank];
  const size_t edges = graph_.ranks[rank].graph.edges.size();
  for (size_t e = 0; e < edges; ++e) {
    const double by = factor(e);
    if (by == 1) continue;
    if (factors.empty()) factors.assign(edges, 1);
    factors[e] *= static_cast<float>(by);
  }
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
