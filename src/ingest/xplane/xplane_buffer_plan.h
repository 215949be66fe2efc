// The messages of a buffer assignment, as they are in the file.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "ingest/xplane/id_table.h"

namespace stepscope {

// LogicalBufferProto: a value that an instruction makes.
struct HloBuffer {
  int64_t bytes = 0;  // 0 or more
  int64_t space = 0;
  int64_t instruction = 0;
  std::string_view instruction_name;  // of older files, instead of the number
  std::vector<int64_t> part;          // the way to a part of a tuple
  int32_t allocation = -1;            // where it lies; -1: nowhere
};

// BufferAllocationProto: a stretch of memory that buffers share.
struct HloAllocation {
  struct Assigned {
    int64_t buffer = 0, offset = 0, bytes = 0;
  };
  int64_t bytes = 0;
  int64_t space = 0;
  bool argument = false, output = false, constant = false, of_thread = false;
  std::vector<Assigned> assigned;
};

// HeapSimulatorTrace: when buffers begin and end to be in use.
struct HloLifetime {
  enum Kind : uint8_t { kBegins = 0, kEnds = 1, kShares = 2 };
  uint64_t kind = kBegins;
  int64_t buffer = 0;
  int64_t shares = 0;  // of kShares: the buffer whose memory it takes over
  std::string_view instruction;
};

struct HloBufferPlan {
  IdTable<HloBuffer> buffers;
  std::vector<HloAllocation> allocations;
  std::vector<std::vector<HloLifetime>> schedules;
};

// Views are into `message`. Sizes are 0 or more.
HloBufferPlan ReadBufferPlan(std::string_view message);

}  // namespace stepscope
