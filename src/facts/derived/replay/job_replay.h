// Times the graph of a job anew, with other durations.
//
// Every moment comes as early as its edges allow, and every member of an instance ends its transfer
// after the last member has begun (max-plus). Ranks run one after the other until an instance holds
// them up, so the cost is that of looking at each edge once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/saturate.h"
#include "facts/derived/replay/job_graph.h"

namespace stepscope {

// ns of each moment after its rank's first one; by rank.
using JobTimes = std::vector<std::vector<int64_t>>;

// A run through the graph. `Lags` says how long edges and transfers take:
//   int64_t Of(uint32_t rank, uint32_t edge) const;      edge: index into the rank's graph.edges
//   int64_t OfTransfer(const JobMember& member) const;
//   bool Waits(const JobInstance& instance) const;       whether members wait for one another
template <class Lags>
class JobReplay {
 public:
  JobReplay(const JobGraph& graph, const Lags& lags)
      : graph_(graph), lags_(lags), states_(graph.ranks.size()), open_(graph.instances.size()) {}

  JobTimes Run() {
    for (uint32_t r = 0; r < states_.size(); ++r) {
      states_[r].times.assign(graph_.ranks[r].graph.times.size(), 0);
      ready_.push_back(r);
    }
    for (size_t i = 0; i < open_.size(); ++i) {
      const JobInstance& instance = graph_.instances[i];
      open_[i].missing = instance.count + (instance.after == kNowhere ? 0 : 1);
      if (instance.after == kNowhere) open_[i].begins = instance.ghost;
    }
    for (uint32_t r = 0; r < states_.size(); ++r) BeginMembers(r, 0);
    while (RunReady() || Release()) {
    }
    JobTimes times;
    for (State& state : states_) times.push_back(std::move(state.times));
    return times;
  }

 private:
  struct State {
    std::vector<int64_t> times;
    uint32_t moment = 1;
    size_t start = 0, end = 0;  // into the rank's `starts` and `ends`
    bool blocked = false;
  };
  struct Open {
    int64_t begins = kNoTime;  // on the common clock
    uint32_t missing = 0;
    std::vector<uint32_t> waiting;  // ranks
  };

  bool RunReady() {
    if (ready_.empty()) return false;
    while (!ready_.empty()) {
      const uint32_t r = ready_.back();
      ready_.pop_back();
      RunRank(r);
    }
    return true;
  }

  // Where a broken recording makes ranks wait in a circle, one goes on.
  bool Release() {
    std::optional<uint32_t> first;
    for (uint32_t r = 0; r < states_.size(); ++r) {
      if (!states_[r].blocked) continue;
      if (!first || MeasuredAt(r) < MeasuredAt(*first)) first = r;
    }
    if (!first) return false;
    OpenInstance(graph_.members[graph_.ranks[*first].ends[states_[*first].end].second].instance);
    return true;
  }

  int64_t MeasuredAt(uint32_t r) const {
    const JobRank& rank = graph_.ranks[r];
    return rank.TimeOf(states_[r].moment);
  }

  // All have come: who waits goes on, and so do ranks without a trace.
  void OpenInstance(uint32_t instance) {
    std::vector<uint32_t> opened{instance};
    while (!opened.empty()) {
      const uint32_t i = opened.back();
      opened.pop_back();
      Open& open = open_[i];
      open.missing = 0;
      for (const uint32_t r : open.waiting) {
        states_[r].blocked = false;
        ready_.push_back(r);
      }
      open.waiting.clear();
      const auto [first, last] =
          std::ranges::equal_range(graph_.followers, i, {}, &std::pair<uint32_t, uint32_t>::first);
      for (auto next = first; next != last; ++next) {
        const int64_t lag = graph_.instances[next->second].ghost;
        if (Come(next->second, AddSaturated(open.begins, lag))) opened.push_back(next->second);
      }
    }
  }

  // Whether that was the last to come.
  bool Come(uint32_t instance, int64_t time) {
    Open& open = open_[instance];
    open.begins = std::max(open.begins, time);
    return open.missing > 0 && --open.missing == 0;
  }

  void RunRank(uint32_t r) {
    const JobRank& rank = graph_.ranks[r];
    State& state = states_[r];
    for (; state.moment < state.times.size(); ++state.moment) {
      const uint32_t m = state.moment;
      const JobMember* ends = nullptr;
      if (state.end < rank.ends.size() && rank.ends[state.end].first == m) {
        ends = &graph_.members[rank.ends[state.end].second];
        if (ends->transfer < 0) ends = nullptr;
      }
      const bool waits = ends != nullptr && lags_.Waits(graph_.instances[ends->instance]);
      if (waits && open_[ends->instance].missing > 0) {
        open_[ends->instance].waiting.push_back(r);
        state.blocked = true;
        return;
      }
      if (state.end < rank.ends.size() && rank.ends[state.end].first == m) ++state.end;
      state.times[m] = ends == nullptr ? Earliest(r, m)
                       : waits         ? EndOf(*ends, rank)
                               : AddSaturated(state.times[ends->start], lags_.OfTransfer(*ends));
      BeginMembers(r, m);
    }
  }

  // Those that are ready at this moment.
  void BeginMembers(uint32_t r, uint32_t m) {
    const JobRank& rank = graph_.ranks[r];
    State& state = states_[r];
    for (; state.start < rank.starts.size() && rank.starts[state.start].first == m; ++state.start) {
      const uint32_t instance = graph_.members[rank.starts[state.start].second].instance;
      if (Come(instance, AddSaturated(rank.origin, state.times[m]))) OpenInstance(instance);
    }
  }

  int64_t Earliest(uint32_t r, uint32_t m) const {
    const RankGraph& graph = graph_.ranks[r].graph;
    int64_t time = 0;
    for (uint32_t e = graph.first_edge[m]; e < graph.first_edge[m + 1]; ++e) {
      time = std::max(time, AddSaturated(states_[r].times[graph.edges[e].from], lags_.Of(r, e)));
    }
    return time;
  }

  int64_t EndOf(const JobMember& member, const JobRank& rank) const {
    const int64_t begins = SubtractSaturated(open_[member.instance].begins, rank.origin);
    return std::max<int64_t>(0, AddSaturated(begins, lags_.OfTransfer(member)));
  }

  const JobGraph& graph_;
  const Lags& lags_;
  std::vector<State> states_;
  std::vector<Open> open_;       // by instance
  std::vector<uint32_t> ready_;  // ranks
};

// As recorded.
struct RecordedLags {
  const JobGraph* graph = nullptr;
  int64_t Of(uint32_t rank, uint32_t edge) const {
    return graph->ranks[rank].graph.edges[edge].lag;
  }
  static int64_t OfTransfer(const JobMember& member) { return member.transfer; }
  static bool Waits(const JobInstance& /*instance*/) { return true; }
};

// Compiled once, for speed (job_lags.cc).
extern template class JobReplay<RecordedLags>;

template <class Lags>
JobTimes ReplayJob(const JobGraph& graph, const Lags& lags) {
  return JobReplay<Lags>(graph, lags).Run();
}

// When the step had ended on a rank, ns on the common clock.
int64_t EndOfStep(const JobGraph& graph, const JobTimes& times, uint32_t rank,
                  const StepMark& mark);

// The last moment of a step on all ranks.
struct StepEnd {
  uint32_t rank = 0;  // index into JobGraph::ranks
  uint32_t moment = 0;
  int64_t time = kNoTime;  // ns on the common clock
};
// Of graph.steps[step]; absent: no rank has it.
std::optional<StepEnd> LastEndOf(const JobGraph& graph, const JobTimes& times, size_t step);

// How long each of graph.steps takes: from the end of the step before, or for the first one from
// when ranks begin it on average, until all ranks have ended it.
std::vector<int64_t> StepLengths(const JobGraph& graph, const JobTimes& times);

// ns that each of graph.members waits for the last one of its instance; 0 of messages.
std::vector<int64_t> WaitsIn(const JobGraph& graph, const JobTimes& times);

// The times that were recorded, as a replay would give them.
JobTimes RecordedTimes(const JobGraph& graph);

}  // namespace stepscope
