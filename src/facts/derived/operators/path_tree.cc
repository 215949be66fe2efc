// Keeps a node for each path, and writes the large ones.
#include "facts/derived/operators/path_tree.h"

#include <algorithm>
#include <utility>

#include "base/saturate.h"

namespace stepscope {
namespace {

// So that no two paths read alike, whatever things are called.
std::string Escaped(std::string_view name) {
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

}  // namespace

PathTree::NodeId PathTree::Child(NodeId parent, StringId name) {
  if (nodes_[parent].depth + 1 >= options_.deepest) return parent;
  const auto [at, is_new] = known_.try_emplace({parent, name}, static_cast<NodeId>(nodes_.size()));
  if (is_new) nodes_.push_back({name, parent, nodes_[parent].depth + 1});
  return at->second;
}

std::vector<PathRow> PathTree::Finish() {
  // Callers were met before what they called.
  for (auto n = static_cast<NodeId>(nodes_.size()); n-- > 1;) {
    Node& above = nodes_[nodes_[n].parent];
    above.device = AddSaturated(above.device, nodes_[n].device);
    if (nodes_[n].parent == kRoot) above.total = AddSaturated(above.total, nodes_[n].total);
  }
  children_.resize(nodes_.size());
  for (NodeId n = 1; n < nodes_.size(); ++n) children_[nodes_[n].parent].push_back(n);
  WriteBelow(kRoot, "");
  return std::move(paths_);
}

bool PathTree::IsSmall(const Node& node) const {
  const Node& all = nodes_[kRoot];
  return node.total < all.total / options_.small_share &&
         node.device < all.device / options_.small_share;
}

// As deep as paths are: Options::deepest.
void PathTree::WriteBelow(NodeId parent, const std::string& path) {
  std::vector<NodeId>& children = children_[parent];
  std::vector<std::pair<std::string, NodeId>> large;
  Node smaller{.depth = nodes_[parent].depth + 1};
  for (const NodeId child : children) {
    const Node& node = nodes_[child];
    if (!IsSmall(node)) {
      large.emplace_back(label_(node.name), child);
      continue;
    }
    smaller.count += node.count;
    smaller.total = AddSaturated(smaller.total, node.total);
    smaller.self = AddSaturated(smaller.self, node.total);
    smaller.device = AddSaturated(smaller.device, node.device);
  }
  std::ranges::sort(large, [this](const auto& a, const auto& b) {
    const int64_t of_a = nodes_[a.second].total, of_b = nodes_[b.second].total;
    return of_a != of_b ? of_a > of_b : a.first < b.first;
  });
  for (const auto& [text, child] : large) {
    const std::string name = Escaped(text);
    Write(nodes_[child], path + name, name);
    WriteBelow(child, path + name + ";");
  }
  if (smaller.count > 0) Write(smaller, path + "(smaller)", "(smaller)");
}

void PathTree::Write(const Node& node, std::string path, std::string name) {
  paths_.push_back({std::move(path), std::move(name), node.depth, node.count, node.total, node.self,
                    node.device});
}

}  // namespace stepscope
