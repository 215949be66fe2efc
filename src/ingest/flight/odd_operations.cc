// Sequence numbers of a group count its collectives, each of which is a record of the process.
#include "ingest/flight/odd_operations.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/saturate.h"
#include "ingest/flight/flight_operation.h"

namespace stepscope {
namespace {

// Numbers that a group may go on by without a record: of coalesced operations.
constexpr int64_t kUnrecorded = 64;

constexpr std::string_view kTypes[] = {"BFloat16",
                                       "Bool",
                                       "Byte",
                                       "Char",
                                       "ComplexDouble",
                                       "ComplexFloat",
                                       "ComplexHalf",
                                       "Double",
                                       "Float",
                                       "Float4_e2m1fn_x2",
                                       "Float8_e4m3fn",
                                       "Float8_e5m2",
                                       "Float8_e4m3fnuz",
                                       "Float8_e5m2fnuz",
                                       "Float8_e8m0fnu",
                                       "Half",
                                       "Int",
                                       "Long",
                                       "Short",
                                       "UInt16",
                                       "UInt32",
                                       "UInt64",
                                       "Bits8",
                                       "Bits16",
                                       "QInt8",
                                       "QUInt8",
                                       "QInt32"};

// What back ends of PyTorch call their operations.
constexpr std::string_view kNames[] = {"all_reduce",
                                       "allreduce",
                                       "allreduce_coalesced",
                                       "allreduce_sparse",
                                       "all_gather",
                                       "allgather",
                                       "_all_gather_base",
                                       "_allgather_base",
                                       "all_gather_into_tensor",
                                       "all_gather_into_tensor_coalesced",
                                       "allgather_into_tensor_coalesced",
                                       "allgather_coalesced",
                                       "reduce_scatter",
                                       "_reduce_scatter_base",
                                       "reduce_scatter_tensor",
                                       "reduce_scatter_tensor_coalesced",
                                       "all_to_all",
                                       "alltoall",
                                       "all_to_all_single",
                                       "alltoall_base",
                                       "_all_to_all_base",
                                       "broadcast",
                                       "_broadcast_oop",
                                       "reduce",
                                       "_reduce_oop",
                                       "gather",
                                       "scatter",
                                       "barrier",
                                       "monitored_barrier",
                                       "send",
                                       "recv",
                                       "recv_anysource",
                                       "coalesced"};

constexpr std::string_view kKeys[] = {
    "version", "pg_config",        "pg_status",       "nccl_version", "entries",
    "rank",    "comm_lib_version", "nccl_comm_state", "world_size",   "host_name"};

bool IsMessage(std::string_view name) {
  return name == "send" || name == "recv" || name == "recv_anysource" || name == "coalesced";
}

bool IsNameOfTorch(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

bool IsOdd(const DumpOperation& operation, size_t listed) {
  if (!IsNameOfTorch(operation.name)) return true;
  if (!operation.types.empty() && !IsTypeOfTorch(operation.types)) return true;
  if (listed > 0 && operation.group >= listed) return true;
  return operation.point_to_point && !IsMessage(operation.name);
}

}  // namespace

bool IsTypeOfTorch(std::string_view name) {
  return std::ranges::find(kTypes, name) != std::end(kTypes);
}

void CompareWithCounters(RankDump& dump) {
  for (DumpOperation& operation : dump.operations) {
    const DumpGroup& group = dump.groups[operation.group];
    if (operation.point_to_point || group.enqueued < 0 || group.completed < 0) continue;
    const bool seen = operation.state == DumpOperation::State::kCompleted;
    const bool counted = operation.sequence <= group.completed;
    // One is counted only when it was launched; where the device is seen to finish it, later.
    const bool odd = operation.pending ? counted : !counted && !seen;
    const bool early = operation.sequence - 1 > group.enqueued;
    if ((odd || early) && !operation.odd) ++dump.odd;
    operation.odd |= odd || early;
  }
}

int64_t UnknownKeys(const ValueTree& dump) {
  const auto items = dump.Dict(dump.root);
  int64_t unknown = 0;
  for (size_t i = 0; i + 1 < items.size(); i += 2)
    unknown += std::ranges::find(kKeys, dump.TextOf(items[i])) == std::end(kKeys) ? 1 : 0;
  return unknown;
}

void MarkOdd(RankDump& dump, size_t listed) {
  std::vector<const DumpOperation*> last(dump.groups.size());
  for (DumpOperation& operation : dump.operations) {
    bool odd = IsOdd(operation, listed);
    if (!operation.point_to_point && !IsHostBackend(dump)) {
      const DumpOperation*& before = last[operation.group];
      odd |= before != nullptr &&
             (operation.sequence < before->sequence ||
              operation.sequence - before->sequence >
                  AddSaturated(SubtractSaturated(operation.record, before->record), kUnrecorded));
      before = &operation;
    }
    if (odd && !operation.odd) ++dump.odd;
    operation.odd |= odd;
  }
}

}  // namespace stepscope
