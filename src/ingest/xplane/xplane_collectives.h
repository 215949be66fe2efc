// Describes the collectives of compiled programs: message sizes and replica groups.
//
// Field numbers are those of hlo.proto: HloInstructionProto has its groups in 49 or, newer, in 87,
// as lists or as an iota: the numbers 0, 1, 2, ... in an array that is transposed and cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Replicas or devices as XLA numbers them.
struct ReplicaGroups {
  std::vector<std::vector<int64_t>> lists;
  // Where there are no lists: `count` groups of `size`, cut from the numbers 0, 1, 2, ... in an
  // array of `dimensions` that is transposed to `order`. Small in a file, so that it is expanded
  // when used.
  int64_t count = 0, size = 0;
  std::vector<int64_t> dimensions, order;

  // The size of the groups; -1: not known, or they differ.
  int64_t GroupSize() const;
  // All groups, if they hold 0 to `replicas` - 1, each once; else none.
  std::vector<std::vector<int64_t>> Covering(int64_t replicas) const;
};

struct HloCollective {
  std::string operation;  // "all-reduce"; empty: it is not a collective
  std::string_view type;  // of an element as PyTorch names it, "Float"; "Byte" of several types
  int64_t in_elements = -1, out_elements = -1;
  ReplicaGroups groups;  // none: all replicas are one group
};

// "all-reduce" of "all-reduce-start"; empty where the opcode is not a collective's.
std::string_view CollectiveOfOpcode(std::string_view opcode);

// The name of a number of xla_data.proto's PrimitiveType; empty where PyTorch has none.
std::string_view ElementTypeName(uint64_t type);

// ReplicaGroup: 1 replica_ids. Adds a group.
void ReadReplicaGroup(std::string_view message, ReplicaGroups& groups);
// CollectiveDeviceListProto: 1 replica_groups, 2 iota_replica_group_list.
void ReadDeviceList(std::string_view message, ReplicaGroups& groups);

}  // namespace stepscope
