// Reads replica groups.
#include "ingest/xplane/xplane_collectives.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/proto.h"

namespace stepscope {
namespace {

constexpr int64_t kMostReplicas = 65'536;
constexpr size_t kMostDimensions = 16;

// IotaReplicaGroupListProto: 1 num_replica_groups, 2 num_devices_per_group, 3 iota_reshape_dims, 4
// iota_transpose_perm.
void ReadIota(std::string_view message, ReplicaGroups& groups) {
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag() == 3) return TakeNumbers(field, groups.dimensions);
    if (field.tag() == 4) return TakeNumbers(field, groups.order);
    if (field.tag_and_type() == VarintField(1)) {
      groups.count = field.get_int64();
    } else if (field.tag_and_type() == VarintField(2)) {
      groups.size = field.get_int64();
    } else {
      field.skip();
    }
  });
}

// Whether they can be expanded, to so many replicas.
bool Makes(const ReplicaGroups& g, int64_t replicas) {
  const auto fits = [&](int64_t n) { return n >= 1 && n <= replicas; };
  if (!fits(g.count) || !fits(g.size) || replicas > kMostReplicas || g.count * g.size != replicas)
    return false;
  if (g.dimensions.size() > kMostDimensions || g.order.size() != g.dimensions.size()) return false;
  int64_t product = 1;
  for (const int64_t size : g.dimensions) {
    if (!fits(size)) return false;
    product *= size;
    if (product > replicas) return false;
  }
  std::vector<int64_t> sorted = g.order, all(sorted.size());
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0);
  return product == replicas && sorted == all;
}

// The numbers of the array in the order of the transposed one. REQUIRES: Makes().
std::vector<int64_t> Transposed(const ReplicaGroups& g) {
  const size_t rank = g.dimensions.size();
  std::vector<int64_t> strides(rank, 1), at(rank, 0), numbers;
  for (size_t d = rank; d-- > 1;) strides[d - 1] = strides[d] * g.dimensions[d];
  const auto original = [&](size_t d) { return static_cast<size_t>(g.order[d]); };
  for (int64_t n = g.count * g.size; n > 0; --n) {
    int64_t number = 0;
    for (size_t d = 0; d < rank; ++d) number += at[d] * strides[original(d)];
    numbers.push_back(number);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < g.dimensions[original(d)]) break;
      at[d] = 0;
    }
  }
  return numbers;
}

bool Covers(const std::vector<std::vector<int64_t>>& groups, int64_t replicas) {
  std::vector<int64_t> all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  if (std::ssize(all) != replicas) return false;
  std::ranges::sort(all);
  for (int64_t i = 0; i < replicas; ++i) {
    if (all[static_cast<size_t>(i)] != i) return false;
  }
  return true;
}

}  // namespace

int64_t ReplicaGroups::GroupSize() const {
  if (lists.empty()) return size > 0 && count > 0 ? size : -1;
  const size_t first = lists.front().size();
  const bool same = std::ranges::all_of(lists, [&](const auto& g) { return g.size() == first; });
  return same && first > 0 ? static_cast<int64_t>(first) : -1;
}

std::vector<std::vector<int64_t>> ReplicaGroups::Covering(int64_t replicas) const {
  if (!lists.empty()) return Covers(lists, replicas) ? lists : std::vector<std::vector<int64_t>>();
  std::vector<std::vector<int64_t>> groups;
  if (!Makes(*this, replicas)) return groups;
  const std::vector<int64_t> numbers = Transposed(*this);
  for (auto at = numbers.begin(); at != numbers.end(); at += size)
    groups.emplace_back(at, at + size);
  return groups;
}

std::string_view CollectiveOfOpcode(std::string_view opcode) {
  constexpr auto kOpcodes = std::to_array<std::string_view>(
      {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all",
       "collective-broadcast", "collective-permute"});
  constexpr std::string_view kStart = "-start";
  if (opcode.ends_with(kStart)) opcode.remove_suffix(kStart.size());
  const auto at = std::ranges::find(kOpcodes, opcode);
  return at == kOpcodes.end() ? std::string_view() : *at;
}

std::string_view ElementTypeName(uint64_t type) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"",       "Bool",   "Char",     "Short", "Int",           "Long",        "Byte",
       "UInt16", "UInt32", "UInt64",   "Half",  "Float",         "Double",      "",
       "",       "",       "BFloat16", "",      "ComplexDouble", "Float8_e5m2", "Float8_e4m3fn"});
  if (type == 15) return "ComplexFloat";
  return type < kNames.size() ? kNames[type] : std::string_view();
}

void ReadReplicaGroup(std::string_view message, ReplicaGroups& groups) {
  std::vector<int64_t>& group = groups.lists.emplace_back();
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag() != 1) return field.skip();
    TakeNumbers(field, group);
  });
}

void ReadDeviceList(std::string_view message, ReplicaGroups& groups) {
  ReadFields(message, [&](pbf_reader& field) {
    if (field.tag_and_type() == BytesField(1)) {
      ReadReplicaGroup(field.get_view(), groups);
    } else if (field.tag_and_type() == BytesField(2)) {
      ReadIota(field.get_view(), groups);
    } else {
      field.skip();
    }
  });
}

}  // namespace stepscope
