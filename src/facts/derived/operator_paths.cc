// Merges the operators of every thread into one tree.
#include "facts/derived/operator_paths.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/saturate.h"
#include "base/stop.h"
#include "facts/derived/on_demand.h"

namespace stepscope {
namespace {

constexpr int32_t kDeepest = 64;       // what is called still deeper belongs to its caller
constexpr int64_t kSmallShare = 1000;  // smaller than one of so many parts of the whole

using NodeId = uint32_t;
constexpr NodeId kRoot = 0;

struct Node {
  StringId name = 0;
  NodeId parent = kRoot;
  int32_t depth = -1;
  int64_t count = 0, total = 0, self = 0, device = 0;
};

class Merge {
 public:
  explicit Merge(const Facts& facts) : facts_(facts), nodes_(1) {}

  void Add(const RankActivity& rank) {
    const OperatorTree& tree = OnDemand(facts_).Operators(facts_, rank);
    const NarrowArray<int64_t>& self = OnDemand(facts_).OperatorSelfTimes(facts_, rank);
    std::vector<NodeId> node_of(tree.size(), kRoot);  // by range
    StopChecks checks;
    for (size_t r = 0; r < tree.size(); ++r) {
      checks.Turn();
      const HostRange& range = rank.host->ranges[r];
      if (!tree.IsOperator(r) || !facts_.Counts(rank, range.start)) continue;
      const int32_t caller = tree.CallerOf(r);
      const NodeId above = caller == kNoRange ? kRoot : node_of[static_cast<size_t>(caller)];
      node_of[r] = Child(above, range.name);
      Node& node = nodes_[node_of[r]];
      node.self = AddSaturated(node.self, self[r]);
      if (node_of[r] == above) continue;  // too deep: its time is in its caller's
      ++node.count;
      node.total = AddSaturated(node.total, range.duration());
    }
    for (const Activity& activity : rank.activities) {
      const int32_t op = OperatorOf(rank, tree, activity);
      if (op == kNoRange) continue;
      Node& node = nodes_[node_of[static_cast<size_t>(op)]];
      node.device = AddSaturated(node.device, activity.duration());
    }
  }

  std::vector<OperatorPath> Finish() {
    // Callers were met before what they called.
    for (NodeId n = static_cast<NodeId>(nodes_.size()); n-- > 1;) {
      Node& above = nodes_[nodes_[n].parent];
      above.device = AddSaturated(above.device, nodes_[n].device);
      if (nodes_[n].parent == kRoot) above.total = AddSaturated(above.total, nodes_[n].total);
    }
    children_.resize(nodes_.size());
    for (NodeId n = 1; n < nodes_.size(); ++n) children_[nodes_[n].parent].push_back(n);
    WriteBelow(kRoot, "");
    return std::move(paths_);
  }

 private:
  struct Key {
    NodeId parent;
    StringId name;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<uint64_t>()((uint64_t{key.parent} << 32) + key.name);
    }
  };

  NodeId Child(NodeId parent, StringId name) {
    if (nodes_[parent].depth + 1 >= kDeepest) return parent;
    const auto [at, is_new] =
        known_.try_emplace({parent, name}, static_cast<NodeId>(nodes_.size()));
    if (is_new) nodes_.push_back({name, parent, nodes_[parent].depth + 1});
    return at->second;
  }

  bool IsSmall(const Node& node) const {
    const Node& all = nodes_[kRoot];
    return node.total < all.total / kSmallShare && node.device < all.device / kSmallShare;
  }

  // As deep as paths are: kDeepest.
  void WriteBelow(NodeId parent, const std::string& path) {
    std::vector<NodeId>& children = children_[parent];
    std::ranges::sort(children, [this](NodeId a, NodeId b) {
      if (nodes_[a].total != nodes_[b].total) return nodes_[a].total > nodes_[b].total;
      return (*facts_.names)[nodes_[a].name] < (*facts_.names)[nodes_[b].name];
    });
    Node smaller{.depth = nodes_[parent].depth + 1};
    for (const NodeId child : children) {
      const Node& node = nodes_[child];
      if (IsSmall(node)) {
        smaller.count += node.count;
        smaller.total = AddSaturated(smaller.total, node.total);
        smaller.self = AddSaturated(smaller.self, node.total);
        smaller.device = AddSaturated(smaller.device, node.device);
        continue;
      }
      const std::string name = Escaped((*facts_.names)[node.name]);
      Write(node, path + name, name);
      WriteBelow(child, path + name + ";");
    }
    if (smaller.count > 0) Write(smaller, path + "(smaller)", "(smaller)");
  }

  void Write(const Node& node, std::string path, std::string name) {
    paths_.push_back({std::move(path), std::move(name), node.depth, node.count, node.total,
                      node.self, node.device});
  }

  // So that no two paths read alike, whatever operators are called.
  static std::string Escaped(std::string_view name) {
    if (name == "(smaller)") return "%28smaller)";
    std::string text;
    for (const char c : name) {
      if (c == ';')
        text += "%3B";
      else if (c == '%')
        text += "%25";
      else
        text += c;
    }
    return text;
  }

  const Facts& facts_;
  std::vector<Node> nodes_;  // [0] is no operator: all of them are below it
  std::unordered_map<Key, NodeId, Hash> known_;
  std::vector<std::vector<NodeId>> children_;
  std::vector<OperatorPath> paths_;
};

}  // namespace

std::vector<OperatorPath> PathsOfOperators(const Facts& facts) {
  Merge merge(facts);
  for (const RankActivity& rank : facts.ranks) merge.Add(rank);
  return merge.Finish();
}

}  // namespace stepscope
