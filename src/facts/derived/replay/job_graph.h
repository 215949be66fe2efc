// Holds the dependencies of all ranks as one graph: a collective or message holds its members up
// until the last of them has come.
//
// Each rank keeps the graph of its own moments (facts/paths). An instance is a collective or a
// message that was recorded by several ranks. All members begin when they are ready; it starts when
// the last has begun; each ends its own time after that, which is the transfer. So waiting comes
// out of the graph, and only the transfer is a duration.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "facts/derived/replay/own_work.h"
#include "facts/facts.h"

namespace stepscope {

struct JobMember {
  uint32_t rank = 0;   // index into JobGraph::ranks
  uint32_t start = 0;  // moments of that rank
  uint32_t end = 0;
  uint32_t part = 0;      // index into CollectiveFacts::parts
  uint32_t instance = 0;  // index into JobGraph::instances
  // ns from the start of the instance to the member's end. Negative: it ended before the last one
  // began, so nothing held it up.
  int64_t transfer = 0;
};

struct JobInstance {
  uint32_t first = 0, count = 0;  // into JobGraph::members
  uint32_t group = 0;             // index into CollectiveFacts::groups
  bool message = false;
  // Where a rank without a trace came last (ghosts.h): when, on the common clock, or how long after
  // the begin of another instance, index into JobGraph::instances.
  int64_t ghost = kNoTime;
  uint32_t after = kNowhere;
};

// The moments that bound a step of a rank.
struct StepMark {
  int64_t step = 0;  // its number
  uint32_t begin = 0, host_end = 0;
  uint32_t device_end = kNowhere;  // of the last work launched in it; kNowhere: there is none
};

// What is left of an edge of Dependencies for a replay: of a large job there are a hundred
// millions.
struct JobEdge {
  int64_t lag = 0;    // ns
  uint32_t from = 0;  // a moment before the edge's own
  Bound bound = Bound::kNoRecord;
  Reason reason = Reason::kWindow;
};

// As Dependencies, without what edges are called.
struct RankGraph {
  std::vector<int64_t> times;
  std::vector<uint32_t> first_edge;
  std::vector<JobEdge> edges;

  std::span<const JobEdge> EdgesOf(uint32_t moment) const {
    return std::span(edges).subspan(first_edge[moment],
                                    first_edge[moment + 1] - first_edge[moment]);
  }
};

struct JobRank {
  const RankActivity* rank = nullptr;
  PathWindow window;  // that the graph is of: the whole recording, or a run of its steps
  RankGraph graph;
  int64_t origin = 0;  // ns, of moment 0 on the common clock
  // Kernels start when the device is free, and are launched just before: what the host does between
  // launches is not known to take time, and takes none here.
  bool lock_step = false;
  std::vector<StepMark> marks;                        // but for last ones that were cut; ascending
  std::vector<std::pair<uint32_t, uint32_t>> starts;  // moments of members and these; ascending
  std::vector<std::pair<uint32_t, uint32_t>> ends;

  // When the moment was recorded, ns on the common clock.
  int64_t TimeOf(uint32_t moment) const {
    return AddSaturated(origin, SubtractSaturated(graph.times[moment], graph.times.front()));
  }
};

struct JobGraph {
  std::vector<JobRank> ranks;  // those with activities, as in Facts::ranks
  std::vector<OwnWork> work;   // of each of them
  std::vector<JobInstance> instances;
  std::vector<JobMember> members;  // by instance
  // Numbers that all ranks with steps have, ascending; 0 alone where no rank has any, which stands
  // for the whole recording. Of a long recording those of one run of steps, of which the first
  // begins with what was under way.
  std::vector<int64_t> steps;
  size_t steps_left_out = 0;  // others that all ranks have

  // Instances that a rank without a trace comes to after another one: that one, and these.
  // Ascending.
  std::vector<std::pair<uint32_t, uint32_t>> followers;

  int64_t ghosts = 0;          // instances in which a rank without a trace came last
  int64_t guessed_waits = 0;   // between streams, without a record of a wait
  int64_t contradictions = 0;  // members that ended before the last one began
  int64_t unmatched_messages = 0;
  int64_t unlinked = 0;  // ranks of whose activities nothing says what launched them

  // Whether so many members contradict that clocks or matches must be wrong: nobody can be blamed.
  bool Contradicts() const { return 20 * contradictions > std::ssize(members); }

  // Of the rank with this number, into `ranks`; kNowhere: there is none.
  uint32_t IndexOf(int64_t rank) const {
    const auto at =
        std::ranges::find_if(ranks, [&](const JobRank& job) { return job.rank->rank == rank; });
    return at == ranks.end() ? kNowhere : static_cast<uint32_t>(at - ranks.begin());
  }

  // The first of `steps` that counts for what is in those from number `since` on, an index. For
  // what is in all that is the second one, since the first begins when the recording does.
  size_t FirstSince(std::optional<int64_t> since) const {
    if (!since) return steps.size() > 1 ? 1 : 0;
    return static_cast<size_t>(std::ranges::lower_bound(steps, *since) - steps.begin());
  }

  std::span<const JobMember> Members(const JobInstance& instance) const {
    return std::span(members).subspan(instance.first, instance.count);
  }
};

// The collective or message that a part is of, by its index into CollectiveFacts::parts.
inline const CollectiveMatch& MatchOfPart(const CollectiveFacts& facts, uint32_t part) {
  const auto after = std::ranges::upper_bound(facts.matches, part, {}, &CollectiveMatch::first);
  return *std::prev(after);
}

}  // namespace stepscope
