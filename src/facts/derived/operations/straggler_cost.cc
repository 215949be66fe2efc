// Replays the job with what each part of it took, and with what it should take.
#include "facts/derived/operations/straggler_cost.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <tuple>

#include "base/robust.h"
#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/operations/operation_graph.h"
#include "facts/derived/operations/operation_replay.h"

namespace stepscope {
namespace {

using Kind = OperationKind;
constexpr auto kKindCount = static_cast<size_t>(Kind::kCount);

// What waits for others by its nature; layer norm's gradients are among these although nothing says
// whom they wait for. Others are computing.
bool CommunicatesByKind(Kind kind) {
  return kind != Kind::kForward && kind != Kind::kBackward && kind != Kind::kCollection &&
         kind != Kind::kOptimizer;
}

// Sends and receives of one direction are one type.
std::string_view TypeOf(Kind kind) {
  if (kind == Kind::kForwardSend || kind == Kind::kForwardReceive) return "forward-pp-comm";
  if (kind == Kind::kBackwardSend || kind == Kind::kBackwardReceive) return "backward-pp-comm";
  return kOperationNames[static_cast<size_t>(kind)];
}

double MeanOf(const std::vector<int64_t>& values) {
  double sum = 0;
  for (const int64_t value : values) sum += static_cast<double>(value);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class StragglerAsker {
 public:
  explicit StragglerAsker(const OperationGraph& graph)
      : graph_(graph), lanes_(graph.lanes()), replicas_(graph.dp.size()), work_(WorkOf(graph)) {
    FindIdeal();
  }

  StragglerCost Ask() {
    StragglerCost cost;
    AskSteps(cost);
    AskTypes(cost);
    for (size_t r = 0; r < replicas_; ++r)
      cost.replicas.push_back({.number = graph_.dp[r], .step = OnlyReplica(r)});
    for (uint32_t stage = 0; stage < graph_.stages; ++stage)
      cost.stages.push_back({.number = stage, .step = Only([&](size_t node, size_t) {
                                                return graph_.nodes[node].stage == stage;
                                              })});
    AskWorkers(cost);
    if (graph_.stages > 1) AskStages(cost);
    for (auto* parts : {&cost.types, &cost.replicas, &cost.stages})
      std::ranges::stable_sort(*parts, std::greater(), &StragglerPart::step);
    cost.dropped_steps = graph_.dropped_steps;
    return cost;
  }

 private:
  // The mean of what computing of a kind takes, and the median of what communication does.
  void FindIdeal() {
    std::array<std::vector<double>, kKindCount> times;
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      auto& of_kind = times[static_cast<size_t>(graph_.nodes[node].kind)];
      for (size_t lane = 0; lane < lanes_; ++lane)
        of_kind.push_back(static_cast<double>(work_[node * lanes_ + lane]));
    }
    for (size_t k = 0; k < kKindCount; ++k) {
      if (times[k].empty()) continue;
      double sum = 0;
      for (const double time : times[k]) sum += time;
      const double mean = sum / static_cast<double>(times[k].size());
      const bool communicates = CommunicatesByKind(static_cast<Kind>(k));
      ideal_[k] = RoundToInt64(communicates ? Median(std::move(times[k])) : mean);
    }
  }

  int64_t Ideal(size_t node) const { return ideal_[static_cast<size_t>(graph_.nodes[node].kind)]; }

  // How long steps take if only operations for which counts(node, replica) take what they took.
  template <class Counts>
  std::vector<int64_t> StepsWithOnly(const Counts& counts) const {
    std::vector<int64_t> work(work_.size());
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      StopIfAsked();
      for (size_t lane = 0; lane < lanes_; ++lane) {
        const size_t at = node * lanes_ + lane;
        work[at] = counts(node, lane % replicas_) ? work_[at] : Ideal(node);
      }
    }
    return ReplayOperations(graph_, work, replicas_);
  }
  template <class Counts>
  double Only(const Counts& counts) const {
    return MeanOf(StepsWithOnly(counts));
  }

  // The same for one replica. All others are alike then: one stands for them.
  double OnlyReplica(size_t replica) const {
    const size_t steps = graph_.steps.size(), width = std::min<size_t>(replicas_, 2);
    std::vector<int64_t> work(graph_.nodes.size() * steps * width);
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      for (size_t step = 0; step < steps; ++step) {
        int64_t* at = work.data() + (node * steps + step) * width;
        at[0] = work_[node * lanes_ + step * replicas_ + replica];
        if (width > 1) at[1] = Ideal(node);
      }
    }
    return MeanOf(ReplayOperations(graph_, work, width));
  }

  void AskSteps(StragglerCost& cost) const {
    std::vector<int64_t> one;
    for (size_t node = 0; node < graph_.nodes.size(); ++node) one.push_back(Ideal(node));
    const int64_t ideal = ReplayOperations(graph_, one, 1).front();
    const std::vector<int64_t> no_delay = ReplayOperations(graph_, work_, replicas_);
    std::vector<int64_t> recorded(graph_.steps.size(), 0);
    for (size_t at = 0; at < graph_.starts.size(); ++at) {
      int64_t& step = recorded[at % lanes_ / replicas_];
      step = std::max(step, AddSaturated(graph_.starts[at], graph_.durations[at]));
    }
    for (size_t s = 0; s < graph_.steps.size(); ++s)
      cost.steps.push_back({graph_.steps[s], recorded[s], no_delay[s], ideal, no_delay[s]});
    cost.recorded = MeanOf(recorded);
    cost.no_delay = MeanOf(no_delay);
    cost.ideal = static_cast<double>(ideal);
  }

  void AskTypes(StragglerCost& cost) const {
    std::map<std::string_view, bool> types;
    for (const OperationNode& node : graph_.nodes)
      types[TypeOf(node.kind)] = CommunicatesByKind(node.kind);
    for (const auto& [type, communicates] : types) {
      const double step =
          Only([&](size_t node, size_t) { return TypeOf(graph_.nodes[node].kind) == type; });
      cost.types.push_back({.name = std::string(type), .step = step, .communicates = communicates});
    }
  }

  void AskStages(StragglerCost& cost) const {
    cost.without_last_stage =
        Only([&](size_t node, size_t) { return graph_.nodes[node].stage + 1 != graph_.stages; });
    struct Mean {
      double sum = 0, count = 0;
    };
    std::map<std::pair<Kind, uint32_t>, Mean> means;
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      Mean& mean = means[{graph_.nodes[node].kind, graph_.nodes[node].stage}];
      for (size_t lane = 0; lane < lanes_; ++lane)
        mean.sum += static_cast<double>(work_[node * lanes_ + lane]);
      mean.count += static_cast<double>(lanes_);
    }
    std::vector<int64_t> even;
    for (size_t node = 0; node < graph_.nodes.size(); ++node) {
      const OperationNode& of = graph_.nodes[node];
      const Mean& mean = means[{of.kind, of.stage}];
      even.push_back(CommunicatesByKind(of.kind) ? Ideal(node)
                                                 : RoundToInt64(mean.sum / mean.count));
    }
    cost.even_within_stages = MeanOf(ReplayOperations(graph_, even, 1));
  }

  // A worker is what its replica and its stage have in common: the smaller of the two, which needs
  // no replay of its own.
  void AskWorkers(StragglerCost& cost) const {
    std::vector<std::tuple<StragglerWorker, size_t, uint32_t>> workers;
    for (size_t r = 0; r < replicas_; ++r) {
      for (uint32_t stage = 0; stage < graph_.stages; ++stage) {
        workers.push_back({{.dp = graph_.dp[r],
                            .stage = stage,
                            .rank = graph_.ranks[r * graph_.stages + stage],
                            .step = std::min(cost.replicas[r].step, cost.stages[stage].step)},
                           r,
                           stage});
      }
    }
    std::ranges::stable_sort(workers, {}, [](const auto& each) {
      const StragglerWorker& worker = std::get<0>(each);
      return std::pair(-worker.step, worker.rank);
    });
    std::vector<bool> slowest(replicas_ * graph_.stages, false);
    for (size_t i = 0; i < workers.size(); ++i) {
      auto& [worker, replica, stage] = workers[i];
      worker.slowest = i < SlowestWorkers(workers.size());
      slowest[replica * graph_.stages + stage] = worker.slowest;
      cost.workers.push_back(worker);
    }
    const std::vector<int64_t> without = StepsWithOnly([&](size_t node, size_t replica) {
      return !slowest[replica * graph_.stages + graph_.nodes[node].stage];
    });
    cost.without_workers = MeanOf(without);
    for (size_t step = 0; step < without.size(); ++step)
      cost.steps[step].without_workers = without[step];
  }

  const OperationGraph& graph_;
  size_t lanes_, replicas_;
  std::vector<int64_t> work_;  // as recorded
  std::array<int64_t, kKindCount> ideal_{};
};

}  // namespace

Result<StragglerCost> StragglerCostOf(const JobOperations& operations) {
  const auto graph = DeriveOperationGraph(operations);
  if (!graph) return std::unexpected(graph.error());
  return StragglerAsker(*graph).Ask();
}

}  // namespace stepscope
