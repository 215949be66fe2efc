// Finds which edges of a rank's graph lie within a function.
#include "facts/derived/replay/function_lags.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/word_pattern.h"
#include "facts/derived/python/along_windows.h"
#include "facts/derived/python/python_time.h"
#include "facts/derived/python/step_function.h"
#include "facts/derived/replay/join_ranks.h"
#include "trace/frame_name.h"

namespace stepscope {
namespace {

// Of each rank of the graph: its calls of the functions, and where it posts those of their
// collectives whose members all began in calls.
struct Calls {
  IntervalSet times;
  std::vector<int64_t> posts;  // ascending
};

int64_t BeganAt(const Facts& facts, const JobGraph& graph, const JobMember& member) {
  const CollectivePart& part = facts.collectives.parts[member.part];
  const Activity activity = graph.ranks[member.rank].rank->activities[part.activity];
  return activity.launched == kNoTime ? activity.start : activity.launched;
}

// Of each instance, whether all of its members began in calls.
std::vector<bool> StartedBy(const Facts& facts, std::vector<Calls>& calls) {
  const JobGraph& graph = JobGraphOf(facts);
  std::vector<AnywhereInWindows> in;
  for (const Calls& own : calls) in.emplace_back(own.times);
  std::vector<bool> started;
  for (const JobInstance& instance : graph.instances) {
    const auto members = graph.Members(instance);
    started.push_back(std::ranges::all_of(members, [&](const JobMember& member) {
      return in[member.rank].Holds(BeganAt(facts, graph, member));
    }));
    if (!started.back()) continue;
    for (const JobMember& member : members)
      calls[member.rank].posts.push_back(BeganAt(facts, graph, member));
  }
  for (Calls& own : calls) std::ranges::sort(own.posts);
  return started;
}

bool Posts(const HostOps& host, const Edge& edge, const std::vector<int64_t>& posts) {
  if (edge.range == kNoRange) return false;
  const HostRange range = host.ranges[static_cast<size_t>(edge.range)];
  const auto at = std::ranges::lower_bound(posts, range.start);
  return at != posts.end() && *at < range.end;
}

// Where the host goes on once a collective that it waited for has ended. That record may end late,
// on a thread that got no processor, while the one that waited is in the function already.
bool IsAfterWait(const Edge& edge) {
  return edge.bound == Bound::kSync && edge.thread == kNowhere &&
         (edge.reason == Reason::kThread || edge.reason == Reason::kSync);
}

// The share of each edge's time that lies within calls; empty where none does.
std::vector<float> SharesWithin(const JobRank& job, const StringTable& names, uint32_t thread,
                                const Calls& calls) {
  const Dependencies graph = LabelledGraph(job, names);
  const AnywhereInWindows in(calls.times);
  std::vector<float> shares;
  for (uint32_t m = 1; m < graph.times.size(); ++m) {
    for (uint32_t e = graph.first_edge[m]; e < graph.first_edge[m + 1]; ++e) {
      const Edge& edge = graph.edges[e];
      const int64_t end = graph.times[m];
      int64_t start = graph.times[edge.from];
      if (IsAfterWait(edge)) {
        start = std::max(start, end - edge.lag);
      } else {
        if (edge.reason != Reason::kThread || edge.thread != thread) continue;
        const bool communicates = edge.name != kNoString && names[edge.name].contains("c10d");
        const bool waits = communicates && !Posts(*job.rank->host, edge, calls.posts);
        if (edge.bound == Bound::kSync || waits) continue;
      }
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
  std::vector<Calls> calls(graph.ranks.size());
  std::vector<std::optional<uint32_t>> threads;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    const RankActivity& rank = *graph.ranks[r].rank;
    const auto thread = rank.host->HasFrames() ? TrainingThread(*facts.names, rank) : std::nullopt;
    threads.push_back(thread);
    if (thread)
      calls[r].times =
          UnionOf(CallsOf(rank.host->frames[*thread], *facts.names,
                          [&](const FrameName& name) { return words.IsIn(name.function); }));
  }
  const std::vector<bool> started = StartedBy(facts, calls);
  bool any = false;
  for (uint32_t r = 0; r < graph.ranks.size(); ++r) {
    if (calls[r].times.empty()) continue;
    const std::vector<float> shares =
        SharesWithin(graph.ranks[r], *facts.names, *threads[r], calls[r]);
    if (shares.empty()) continue;
    any = true;
    lags.ScaleEdges(r, [&](size_t e) { return 1 - (1 - factor) * shares[e]; });
  }
  if (!any) return false;
  lags.ScaleTransfers([&](const JobInstance& instance) {
    return started[static_cast<size_t>(&instance - graph.instances.data())] ? factor : 1;
  });
  return true;
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
