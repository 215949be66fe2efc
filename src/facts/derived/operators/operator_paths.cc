// Merges the operators of every thread into one tree.
#include "facts/derived/operators/operator_paths.h"

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/operators/operator_trees.h"

namespace stepscope {
namespace {

using NodeId = PathTree::NodeId;

void AddRank(const Facts& facts, const RankActivity& rank, PathTree& paths) {
  const OperatorTree& tree = OperatorTreeOf(facts, rank);
  const NarrowArray<int64_t>& self = SelfTimesOf(facts, rank);
  std::vector<NodeId> node_of(tree.size(), PathTree::kRoot);  // by range
  StopChecks checks;
  for (size_t r = 0; r < tree.size(); ++r) {
    checks.Turn();
    const HostRange& range = rank.host->ranges[r];
    if (!tree.IsOperator(r) || !facts.Counts(rank, range.start)) continue;
    const int32_t caller = tree.CallerOf(r);
    const NodeId above =
        caller == kNoRange ? PathTree::kRoot : node_of[static_cast<size_t>(caller)];
    node_of[r] = paths.Child(above, range.name);
    PathTree::Node& node = paths[node_of[r]];
    node.self = AddSaturated(node.self, self[r]);
    if (node_of[r] == above) continue;  // too deep: its time is in its caller's
    ++node.count;
    node.total = AddSaturated(node.total, range.duration());
  }
  for (const Activity& activity : rank.activities) {
    const int32_t op = OperatorOf(rank, tree, activity);
    if (op == kNoRange) continue;
    PathTree::Node& node = paths[node_of[static_cast<size_t>(op)]];
    node.device = AddSaturated(node.device, activity.duration());
  }
}

}  // namespace

std::vector<PathRow> PathsOfOperators(const Facts& facts) {
  PathTree paths([&](StringId name) { return std::string((*facts.names)[name]); }, {});
  for (const RankActivity& rank : facts.ranks) AddRank(facts, rank, paths);
  return paths.Finish();
}

}  // namespace stepscope
