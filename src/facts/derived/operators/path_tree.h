// Merges what ran with the same callers into a tree of paths: the data of a flame graph.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

struct PathRow {
  std::string path;  // names from the outermost on, joined by ";"; a ";" in a name is "%3B"
  std::string name;  // the last of them
  int32_t depth = 0;
  int64_t count = 0;
  int64_t total = 0;   // ns on the host, with what it called
  int64_t self = 0;    // ns on the host by itself
  int64_t device = 0;  // ns of the activities launched by it and what it called
};

class PathTree {
 public:
  using NodeId = uint32_t;
  static constexpr NodeId kRoot = 0;

  struct Options {
    int32_t deepest = 64;        // what is called still deeper belongs to its caller
    int64_t small_share = 1000;  // smaller than one of so many parts of the whole
  };
  struct Node {
    StringId name = 0;
    NodeId parent = kRoot;
    int32_t depth = -1;
    int64_t count = 0, total = 0, self = 0;
    int64_t device = 0;  // of itself, until Finish()
  };

  // `label` gives the text of a name; no two names may have one text.
  PathTree(std::function<std::string(StringId)> label, Options options)
      : label_(std::move(label)), options_(options), nodes_(1) {}

  // What is called `name` below `parent`; `parent` itself where that would be too deep.
  NodeId Child(NodeId parent, StringId name);
  // Valid until the next Child().
  Node& operator[](NodeId node) { return nodes_[node]; }

  // Those that take one of `small_share` parts of all time of the outermost or more, on the host or
  // on devices; what is smaller is one path "(smaller)" of its caller. Callers come before what
  // they called, the largest first. To be called once.
  std::vector<PathRow> Finish();

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

  bool IsSmall(const Node& node) const;
  void WriteBelow(NodeId parent, const std::string& path);
  void Write(const Node& node, std::string path, std::string name);

  std::function<std::string(StringId)> label_;
  Options options_;
  std::vector<Node> nodes_;  // [0] is nothing: all others are below it
  std::unordered_map<Key, NodeId, Hash> known_;
  std::vector<std::vector<NodeId>> children_;
  std::vector<PathRow> paths_;
};

}  // namespace stepscope
