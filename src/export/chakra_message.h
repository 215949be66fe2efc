// Writes messages of Chakra's schema.
//
// Numbers are those of schema/protobuf/et_def.proto in https://github.com/mlcommons/chakra. Each
// message of a file has its length before it, as a varint.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope::chakra {

enum class NodeType : int32_t {
  kCompute = 4,
  kSend = 5,
  kReceive = 6,
  kCollective = 7,
};

enum class CollectiveType : int64_t {
  kAllReduce = 0,
  kReduce = 1,
  kAllGather = 2,
  kGather = 3,
  kScatter = 4,
  kBroadcast = 5,
  kAllToAll = 6,
  kReduceScatter = 7,
  kBarrier = 9,
};

// An attribute of a node or of all: a number, a truth value or a text.
struct Attribute {
  enum class Type : uint8_t { kInt64, kInt32, kBool, kText };
  std::string_view name;
  Type type = Type::kInt64;
  int64_t number = 0;
  std::string_view text = {};
};

struct Node {
  uint64_t id = 0;
  std::string_view name;
  NodeType type = NodeType::kCompute;
  std::vector<uint64_t> ctrl_deps, data_deps;
  uint64_t start = 0, duration = 0;        // µs
  std::string_view shapes, types, values;  // of its inputs; empty: unknown
  std::vector<Attribute> attributes;
};

// What a file begins with.
void AppendMetadata(std::string& out, std::span<const Attribute> attributes);
void AppendNode(std::string& out, const Node& node);

}  // namespace stepscope::chakra
