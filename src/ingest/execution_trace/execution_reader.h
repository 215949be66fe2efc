// Reads execution traces of PyTorch, JSON with or without gzip.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/byte_source.h"
#include "ingest/execution_trace/execution_trace.h"
#include "stepscope/result.h"

namespace stepscope {

inline constexpr size_t kExecutionSniff = 64;  // bytes

// By the first bytes: of an object whose first member is the schema.
bool LooksLikeExecutionTrace(std::string_view beginning);

// Streams: what is kept is the numbers of each node, and every distinct text once. Of a file that
// is damaged, what is before the damage. Fails where there is no node. Stops if asked.
enum class Tensors : uint8_t { kLeaveOut, kKeep };
Result<ExecutionTrace> ReadExecutionTrace(ByteSource source, Tensors tensors = Tensors::kLeaveOut);

// What a reader of profiles says of such a file.
Error ExecutionTraceAlone();

}  // namespace stepscope
