// Joins allocations, by time, to what the host ran then: operators, modules and steps of a trace.
//
// The clocks are one where the trace says from which moment its times count: both are the wall
// clock of the host then.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "memory_snapshot/replay.h"
#include "memory_snapshot/sites.h"
#include "memory_snapshot/steps.h"
#include "stepscope/result.h"
#include "stepscope/storage.h"

namespace stepscope::memory {

// A call on a thread of the host; ns since the epoch.
struct HostCall {
  int64_t start = 0, end = 0;
  StringId name = 0;  // of HostTrace::names
  uint32_t thread = 0;
  bool module = false;  // of torch.nn, else an operator
};

struct HostTrace {
  StringTable names;
  std::vector<HostCall> calls;  // by start
  std::vector<StepSpan> steps;  // by start
  int64_t rank = 0;
  bool only_rank = true;       // false: of several, that of the number of the device
  bool says_when = true;       // false: its times count from an unknown moment; calls are empty
  int64_t begin = 0, end = 0;  // of calls and steps, ns since the epoch
};

struct TraceOptions {
  StorageRef storage = nullptr;
  std::stop_token stop = {};
};

// `path`: what Session::Open() takes. Of several ranks the one with the number of `device`. Fails
// where the trace cannot be read or has no such rank.
Result<HostTrace> ReadHostTrace(const std::string& path, int64_t device,
                                const TraceOptions& options);

// By operator or module, as far as the trace says.
struct Joined {
  StringId name = 0;  // 0: within the trace, but in no call of this kind
  Amount allocated;   // while the trace was recorded
  Amount at_peak;     // of those: what lives at the peak
};

struct TraceJoin {
  std::vector<Joined> operators, modules;  // most bytes at the peak first, then most allocated
  Amount within, outside;                  // allocations while the trace was recorded, and others
};

// An allocation is of the innermost call of the thread that began one last; where a stack of C++
// names an operator, of the innermost call of that name before.
TraceJoin JoinTrace(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay,
                    const HostTrace& trace);

}  // namespace stepscope::memory
