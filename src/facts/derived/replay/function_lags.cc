// Finds which edges of a rank's graph lie within a function.
#include "facts/derived/replay/function_lags.h"

#include <vector>

#include "base/word_pattern.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

// The share of each edge's time that lies within `windows`; empty where none does.
std::vector<float> SharesWithin(const JobRank& job, const StringTable& names, uint32_t thread,
                                const IntervalSet& windows) {
  const Dependencies graph = LabelledGraph(job, names);
  const AnywhereInWindows in(windows);
  std::vector<float> shares;
  for (uint32_t m = 1; m < graph.times.size(); ++m) {
    for (uint32_t e = graph.first_edge[m]; e < graph.first_edge[m + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      if (edge.reason != Reason::kThread || edge.thread != thread) continue;
      const bool communicates = edge.name != kNoString && names[edge.name].contains("c10d");
      if (edge.bound == Bound::kSync || communicates) continue;
      const int64_t start = graph.times[edge.from], end = graph.times[m];
      const int64_t within = in.Within(start, end);
      if (within <= 0) continue;
      shares.resize(graph.edges.size());
      shares[e] = static_cast<float>(within) / static_cast<float>(end - start);
    }
  }
  return shares;
}

}  // namespace

bool ScaleFunctions(const Facts& facts, std::string_view pattern, double factor,
                    ChangedLags& lags) {
  const WordPattern words(pattern);
  const JobGraph& graph = JobGraphOf(facts);
  bool any = false;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const JobRank& job = graph.ranks[r];
    if (!job.rank->host->HasFrames()) continue;
    const auto thread = TrainingThread(*facts.names, *job.rank);
    if (!thread) continue;
    const IntervalSet calls =
        UnionOf(CallsOf(job.rank->host->frames[*thread], *facts.names,
                        [&](const FrameName& name) { return words.IsIn(name.function); }));
    if (calls.empty()) continue;
    const std::vector<float> shares = SharesWithin(job, *facts.names, *thread, calls);
    if (shares.empty()) continue;
    any = true;
    lags.ScaleEdges(r, [&](size_t e) { return 1 - (1 - factor) * shares[e]; });
  }
  return any;
}

bool OthersRunFunctions(const Facts& facts, std::string_view pattern) {
  const WordPattern words(pattern);
  const auto is_meant = [&](const FrameName& name) { return words.IsIn(name.function); };
  for (const JobRank& job : JobGraphOf(facts).ranks) {
    if (!job.rank->host->HasFrames()) continue;
    const auto training = TrainingThread(*facts.names, *job.rank);
    const auto& frames = job.rank->host->frames;
    for (uint32_t thread = 0; thread < frames.size(); ++thread) {
      if (training != thread && !CallsOf(frames[thread], *facts.names, is_meant).empty())
        return true;
    }
  }
  return false;
}

}  // namespace stepscope
