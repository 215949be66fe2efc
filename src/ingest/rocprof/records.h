// Holds what one process recorded of itself, as rocprofv3's two forms have it in common: JSON and
// databases.
//
// Names of kernels, calls and agents may stand behind the events that use them, so that a trace is
// made when all is there (process_trace.h). Times are ns of the host's clock since its start.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/string_table.h"
#include "ingest/common/launched_rank.h"
#include "ingest/rocprof/agent.h"

namespace stepscope::rocprof {

struct Kernel {
  StringId name = kNoString;
  int32_t registers = -1;
};

// Start and end as they stand in the file: any numbers, or none (kNoTime).
struct Times {
  static constexpr int64_t kNoTime = INT64_MIN;
  int64_t start = kNoTime, end = kNoTime;
};

struct Dispatch {
  Times times;
  int64_t correlation = 0;
  int64_t agent = -1, queue = -1, stream = 0, kernel = -1;
  std::array<int32_t, 3> workgroup = {-1, -1, -1}, grid = {-1, -1, -1};  // grid: work-items
  int32_t local_memory = -1;
};

// By the numbers of ROCprofiler-SDK's enumeration.
enum class CopyDirection : uint8_t {
  kNone,
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice
};
inline constexpr auto kLastDirection = CopyDirection::kDeviceToDevice;

struct MemoryCopy {
  Times times;
  int64_t correlation = 0;
  int64_t from = -1, to = -1;  // agents
  int64_t stream = -1, bytes = -1;
  CopyDirection direction = CopyDirection::kNone;
};

enum class CallKind : uint8_t {
  kRuntime,     // HIP, HSA and other libraries
  kCollective,  // RCCL's own interface
  kRange,       // ROCTX
};

struct Call {
  Times times;
  int64_t correlation = 0, thread = -1;
  int64_t operation = -1;     // of which the JSON lists the names
  StringId name = kNoString;  // kNoString: that of `operation`
  CallKind kind = CallKind::kRuntime;
};

struct ProcessRecords {
  int64_t process = -1;
  Times life;  // from when the profiler began in the process to when it ended
  std::string machine;
  LaunchedRank launched;
  StringTable names;                // of the fields below
  std::map<int64_t, Agent> agents;  // by their numbers in the file
  std::unordered_map<int64_t, Kernel> kernels;
  std::unordered_map<int64_t, StringId> operations;  // names of calls
  std::unordered_map<int64_t, StringId> messages;    // texts of ranges, by correlation
  std::vector<Dispatch> dispatches;
  std::vector<MemoryCopy> copies;
  std::vector<Call> calls;
  int64_t others = 0;       // events of kinds that are not read
  int64_t unreadable = 0;   // what stands where events are to be, and is none
  int64_t odd_entries = 0;  // the same of agents, kernels and names

  bool empty() const { return dispatches.empty() && copies.empty() && calls.empty(); }
  int64_t size() const {
    return static_cast<int64_t>(dispatches.size() + copies.size() + calls.size());
  }
};

}  // namespace stepscope::rocprof
