// Walks the graph in its order, all lanes at once.
#include "facts/derived/operations/operation_replay.h"

#include <algorithm>

#include "base/saturate.h"
#include "base/stop.h"
#include "base/time_units.h"

namespace stepscope {
namespace {

constexpr int64_t kImpossibleTransfer = -10 * kMillisecond;

// When the last member of the group has started, in each lane.
std::vector<int64_t> LastStarts(const OperationGroup& group, const std::vector<int64_t>& starts,
                                size_t lanes, size_t replicas) {
  std::vector<int64_t> last(lanes, INT64_MIN);
  for (const uint32_t member : group.members)
    for (size_t lane = 0; lane < lanes; ++lane)
      last[lane] = std::max(last[lane], starts[member * lanes + lane]);
  if (!group.across_dp) return last;
  for (size_t first = 0; first < lanes; first += replicas) {
    const auto step =
        std::ranges::subrange(last.begin() + static_cast<std::ptrdiff_t>(first),
                              last.begin() + static_cast<std::ptrdiff_t>(first + replicas));
    std::ranges::fill(step, std::ranges::max(step));
  }
  return last;
}

class OperationReplay {
 public:
  OperationReplay(const OperationGraph& graph, const std::vector<int64_t>& work, size_t replicas)
      : graph_(graph),
        work_(work),
        replicas_(replicas),
        lanes_(work.size() / graph.nodes.size()),
        starts_(work.size()),
        ends_(work.size()) {}

  std::vector<int64_t> Run() {
    for (const OperationEvent& event : graph_.order) {
      StopIfAsked();
      if (event.ends) {
        EndGroup(graph_.groups[event.index]);
      } else {
        Start(event.index);
      }
    }
    return StepEnds();
  }

 private:
  void Start(uint32_t node) {
    const OperationNode& at = graph_.nodes[node];
    int64_t* starts = starts_.data() + node * lanes_;
    for (const uint32_t before : at.after) {
      const int64_t* ends = ends_.data() + before * lanes_;
      for (size_t lane = 0; lane < lanes_; ++lane)
        starts[lane] = std::max(starts[lane], ends[lane]);
    }
    if (at.group != kNoOperationGroup) return;
    for (size_t lane = 0; lane < lanes_; ++lane) End(node, lane, starts[lane]);
  }

  void EndGroup(const OperationGroup& group) {
    const std::vector<int64_t> last = LastStarts(group, starts_, lanes_, replicas_);
    for (const uint32_t member : group.members)
      for (size_t lane = 0; lane < lanes_; ++lane) End(member, lane, last[lane]);
  }

  void End(uint32_t node, size_t lane, int64_t since) {
    const size_t at = node * lanes_ + lane;
    ends_[at] = AddSaturated(since, work_[at]);
  }

  std::vector<int64_t> StepEnds() const {
    std::vector<int64_t> steps(lanes_ / replicas_, 0);
    for (size_t at = 0; at < ends_.size(); ++at) {
      int64_t& step = steps[at % lanes_ / replicas_];
      step = std::max(step, ends_[at]);
    }
    return steps;
  }

  const OperationGraph& graph_;
  const std::vector<int64_t>& work_;
  size_t replicas_, lanes_;
  std::vector<int64_t> starts_, ends_;
};

}  // namespace

std::vector<int64_t> WorkOf(const OperationGraph& graph) {
  std::vector<int64_t> work = graph.durations;
  const size_t lanes = graph.lanes();
  for (const OperationGroup& group : graph.groups) {
    StopIfAsked();
    const auto last = LastStarts(group, graph.starts, lanes, graph.dp.size());
    for (const uint32_t member : group.members) {
      for (size_t lane = 0; lane < lanes; ++lane) {
        const size_t at = member * lanes + lane;
        const int64_t end = AddSaturated(graph.starts[at], graph.durations[at]);
        const int64_t transfer = SubtractSaturated(end, last[lane]);
        work[at] = transfer <= kImpossibleTransfer ? 0 : transfer;
      }
    }
  }
  return work;
}

std::vector<int64_t> ReplayOperations(const OperationGraph& graph, const std::vector<int64_t>& work,
                                      size_t replicas) {
  return OperationReplay(graph, work, replicas).Run();
}

}  // namespace stepscope
