// Sorts the operations into steps and replicas, and orders one replica's by what waits for what.
#include "facts/derived/operations/operation_graph.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "base/saturate.h"
#include "base/stop.h"

namespace stepscope {
namespace {

using Rows = std::span<const Operation>;

auto KeyOf(const Operation& o) { return std::tuple(o.stage, o.kind, o.sequence); }

std::unexpected<Error> NoGraph(std::string why) {
  return std::unexpected(Error{"cannot ask what stragglers cost: " + std::move(why), "", ""});
}

// The rows of each step. `rows` are sorted by step.
std::vector<Rows> StepsOf(Rows rows) {
  std::vector<Rows> steps;
  for (size_t first = 0; first < rows.size();) {
    size_t end = first;
    while (end < rows.size() && rows[end].step == rows[first].step) ++end;
    steps.push_back(rows.subspan(first, end - first));
    first = end;
  }
  return steps;
}

// The rows of the first replica, in the first step of those that have as many rows as most have.
Rows Template(const std::vector<Rows>& steps) {
  std::map<size_t, size_t> counts;
  for (const Rows step : steps) ++counts[step.size()];
  const auto usual =
      std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  const auto first = std::ranges::find(steps, usual->first, &Rows::size);
  const auto end =
      std::ranges::find_if(*first, [&](const Operation& o) { return o.dp != first->front().dp; });
  return first->first(static_cast<size_t>(end - first->begin()));
}

std::vector<int64_t> ReplicasOf(Rows step) {
  std::vector<int64_t> dp;
  for (const Operation& operation : step)
    if (dp.empty() || dp.back() != operation.dp) dp.push_back(operation.dp);
  return dp;
}

// Whether every replica has each operation of the template once.
bool IsComplete(Rows step, Rows pattern, const std::vector<int64_t>& dp) {
  if (step.size() % pattern.size() != 0 || step.size() / pattern.size() != dp.size()) return false;
  for (size_t i = 0; i < step.size(); ++i) {
    if (step[i].dp != dp[i / pattern.size()]) return false;
    if (KeyOf(step[i]) != KeyOf(pattern[i % pattern.size()])) return false;
  }
  return true;
}

// 0, 1, ... without a gap: a pipeline with a missing stage is not what it was.
bool StagesAreWhole(Rows pattern, uint32_t& stages) {
  int64_t next = 0;
  for (const Operation& operation : pattern) {
    if (operation.stage == next) ++next;
    if (operation.stage + 1 != next) return false;
  }
  stages = static_cast<uint32_t>(next);
  return true;
}

bool HasTwice(Rows pattern) {
  return std::ranges::adjacent_find(pattern, {}, KeyOf) != pattern.end();
}

// Fills in the times of the complete steps.
void AddTimes(OperationGraph& graph, const std::vector<Rows>& steps) {
  const size_t nodes = graph.nodes.size(), replicas = graph.dp.size(), lanes = graph.lanes();
  graph.starts.resize(nodes * lanes);
  graph.durations.resize(nodes * lanes);
  graph.ranks.assign(replicas * graph.stages, -1);
  for (size_t s = 0; s < steps.size(); ++s) {
    StopIfAsked();
    int64_t begin = INT64_MAX;
    for (const Operation& operation : steps[s]) begin = std::min(begin, operation.start);
    for (size_t i = 0; i < steps[s].size(); ++i) {
      const Operation& operation = steps[s][i];
      const size_t at = i % nodes * lanes + s * replicas + i / nodes;
      graph.starts[at] = SubtractSaturated(operation.start, begin);
      graph.durations[at] = operation.duration;
      graph.ranks[i / nodes * graph.stages + static_cast<size_t>(operation.stage)] = operation.rank;
    }
  }
}

// Topological; false where operations wait in a circle.
class Orderer {
 public:
  explicit Orderer(OperationGraph& graph)
      : graph_(graph), waits_(graph.nodes.size()), next_(graph.nodes.size()) {
    for (const OperationGroup& group : graph.groups) missing_.push_back(group.members.size());
    for (uint32_t node = 0; node < graph.nodes.size(); ++node) {
      waits_[node] = graph.nodes[node].after.size();
      for (const uint32_t before : graph.nodes[node].after) next_[before].push_back(node);
    }
  }

  bool Order() {
    for (uint32_t node = 0; node < graph_.nodes.size(); ++node)
      if (waits_[node] == 0) ready_.push_back(node);
    for (size_t i = 0; i < ready_.size(); ++i) Start(ready_[i]);
    return ready_.size() == graph_.nodes.size();
  }

 private:
  void Start(uint32_t node) {
    graph_.order.push_back({.ends = false, .index = node});
    const uint32_t group = graph_.nodes[node].group;
    if (group == kNoOperationGroup) return End(node);
    if (--missing_[group] > 0) return;
    graph_.order.push_back({.ends = true, .index = group});
    for (const uint32_t member : graph_.groups[group].members) End(member);
  }

  void End(uint32_t node) {
    for (const uint32_t next : next_[node])
      if (--waits_[next] == 0) ready_.push_back(next);
  }

  OperationGraph& graph_;
  std::vector<size_t> waits_, missing_;
  std::vector<std::vector<uint32_t>> next_;
  std::vector<uint32_t> ready_;
};

}  // namespace

Result<OperationGraph> DeriveOperationGraph(const JobOperations& operations) {
  if (operations.rows.empty()) return NoGraph("there are no operations");
  std::vector<Operation> rows = operations.rows;
  StopChecks checks;
  std::ranges::sort(rows, {}, [&](const Operation& o) {
    checks.Turn();
    return std::tuple(o.step, o.dp, o.stage, o.kind, o.sequence);
  });
  std::vector<Rows> steps = StepsOf(rows);
  const Rows pattern = Template(steps);
  OperationGraph graph;
  if (!StagesAreWhole(pattern, graph.stages)) return NoGraph("a pipeline stage has no operations");
  if (HasTwice(pattern)) return NoGraph("an operation of a worker is there twice in one step");
  const auto usual = std::ranges::find_if(steps, [&](const Rows& step) {
    return step.data() <= pattern.data() && pattern.data() < step.data() + step.size();
  });
  graph.dp = ReplicasOf(*usual);
  const size_t all = steps.size();
  std::erase_if(steps, [&](const Rows& step) { return !IsComplete(step, pattern, graph.dp); });
  if (steps.empty()) return NoGraph("no step has the same operations in all replicas");
  graph.dropped_steps = static_cast<int64_t>(all - steps.size());
  for (const Rows& step : steps) graph.steps.push_back(step.front().step);
  OperationLinks links = LinkOperations(pattern, graph.stages);
  graph.nodes = std::move(links.nodes);
  graph.groups = std::move(links.groups);
  if (!Orderer(graph).Order()) return NoGraph("its operations wait for one another in a circle");
  AddTimes(graph, steps);
  return graph;
}

}  // namespace stepscope
