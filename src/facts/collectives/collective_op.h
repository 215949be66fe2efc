// Describes a collective: its operation, whether all ranks end together, and the bytes it
// moves.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

enum class CollectiveOp : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kBarrier,
  kAllToAll,
  kExchange,  // a send-receive kernel that names no operation: an all-to-all, or point to point
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kSend,
  kReceive,
  kOther,
};

// By what the trace calls it: "allreduce", "_allgather_base", "all_to_allv", "send".
CollectiveOp OpOfOperation(std::string_view operation);
// By a kernel's name: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "ncclKernel_SendRecv_...".
CollectiveOp OpOfKernel(std::string_view kernel);
std::string_view OpName(CollectiveOp op);  // "allreduce", "exchange", ...

// No rank can leave such a collective before the last one has entered it.
constexpr bool Synchronizes(CollectiveOp op) { return op <= CollectiveOp::kExchange; }
// All ranks leave it together, but for the latency of a hop. Exchanges end apart when the ranks
// receive different amounts.
constexpr bool EndsTogether(CollectiveOp op) { return op <= CollectiveOp::kBarrier; }
// One rank sends to all, or receives from all: others may leave before the last one enters.
constexpr bool HasRoot(CollectiveOp op) {
  return op >= CollectiveOp::kBroadcast && op <= CollectiveOp::kScatter;
}
constexpr bool IsPointToPoint(CollectiveOp op) {
  return op == CollectiveOp::kSend || op == CollectiveOp::kReceive;
}
// The number of elements that all its ranks must agree in; none where they may differ. Of an
// all-gather that is what comes out: ranks may put in parts of different sizes.
constexpr std::optional<int64_t> SharedElements(CollectiveOp op, int64_t in, int64_t out) {
  if (op == CollectiveOp::kAllGather) return out;
  const bool alike = op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter ||
                     op == CollectiveOp::kBroadcast;
  return alike ? std::optional(in) : std::nullopt;
}

// The size of an element by the name PyTorch gives its type, "Float" or "BFloat16"; 0: unknown.
int64_t ElementBytes(std::string_view type);

// The size S of a collective as nccl-tests counts it: the whole array, which for all-gather is what
// a rank receives and for reduce-scatter what it gives. -1: the trace does not say.
int64_t CollectiveBytes(CollectiveOp op, int64_t in_elements, int64_t out_elements,
                        int64_t element_bytes);

// What nccl-tests multiplies S / time by to get the bandwidth a link must carry, in a group of
// `size` ranks; none where it defines none.
// Source: https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md
std::optional<double> BusFactor(CollectiveOp op, int64_t size);

}  // namespace stepscope
