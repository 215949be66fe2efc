// Knows the paths of rocprofv3's JSON that are read.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace stepscope::rocprof {

// Lists whose elements are read.
enum class List : uint8_t {
  kNone,
  kOther,  // of events that are only counted
  kAgents,
  kKernels,
  kOperations,
  kMessages,
  kDispatches,
  kCopies,
  kRuntimeCalls,
  kCollectiveCalls,
  kRanges
};

// Values of elements that are read.
enum class Value : uint8_t {
  kStart,
  kEnd,
  kCorrelation,
  kThread,
  kKind,
  kOperation,
  kAgent,
  kQueue,
  kStream,
  kKernel,
  kLocalMemory,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridX,
  kGridY,
  kGridZ,
  kFrom,
  kTo,
  kBytes,
  kNumber,     // of an agent
  kAgentType,  // 2: a GPU
  kPlace,      // among the GPUs
  kNode,
  kUnits,
  kWaves,
  kLanes,
  kClock,  // MHz
  kTarget,
  kHeap,
  kHeapBytes,
  kRegisters,
  kKey,
  kCount
};
using Values = std::array<int64_t, static_cast<size_t>(Value::kCount)>;

// What elements say in words. Of the names of a kernel the first that is there counts.
enum class Word : uint8_t { kDemangled, kFormatted, kTruncated, kPlain, kProduct, kKind, kMessage };
inline constexpr size_t kWordCount = 7;

// Of a path within a process.
List ListAt(std::string_view path);
// The path of a list that is read, by its name and the first key of its elements; empty: there is
// none, or the name is that of something else, too.
std::string_view PathOfList(std::string_view name, std::string_view key);
// Of a path within an element; null for all else.
const Value* ValueAt(std::string_view path);
const Word* WordAt(std::string_view path);

}  // namespace stepscope::rocprof
