// What the workers of a pipelined job did, as a plain table: one row for each operation.
//
// It is coarser than a trace: one row is all kernels of a microbatch's forward pass, or one message
// between stages. A worker stands at one place (dp, stage) of the job's layout.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stepscope {

// Sorted by name.
enum class OperationKind : uint8_t {
  kBackward,
  kBackwardReceive,
  kBackwardSend,
  kEmbeddingGrads,  // all-reduce between the first and the last stage
  kForward,
  kForwardReceive,
  kForwardSend,
  kCollection,  // of Python's garbage
  kGradsReduce,
  kNormGrads,
  kOptimizer,
  kClipGrads,  // of all workers
  kParamsGather,
  kSeparateGrads,
  kCount
};

// As StragglerAnalysis spells them.
inline constexpr std::array<std::string_view, static_cast<size_t>(OperationKind::kCount)>
    kOperationNames = {"backward-compute",
                       "backward-recv",
                       "backward-send",
                       "embedding-grads-all-reduce",
                       "forward-compute",
                       "forward-recv",
                       "forward-send",
                       "gc",
                       "grads-reduce-scatter",
                       "layernorm-grads-all-reduce",
                       "optimizer",
                       "optimizer-clip-main-grad",
                       "params-all-gather",
                       "separate-grads-all-reduce"};

struct Operation {
  int64_t step = 0;
  int64_t dp = 0, stage = 0;  // the worker
  int64_t rank = 0;           // its global number
  OperationKind kind = OperationKind::kForward;
  int64_t sequence = 0;  // 0, 1, ... of its kind, step and worker
  int64_t chunk = 0;     // which of the worker's parts of the model
  int64_t place = 0;     // of that part in the whole model
  int64_t start = 0;     // ns; comparable within a step
  int64_t duration = 0;  // ns

  friend bool operator==(const Operation&, const Operation&) = default;
};

struct JobOperations {
  std::vector<Operation> rows;
  // How many devices the whole job had, where that is known: a row may stand for several.
  std::optional<int64_t> devices;
};

}  // namespace stepscope
