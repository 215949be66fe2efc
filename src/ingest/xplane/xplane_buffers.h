// Reads which memory a compiled program plans to use (BufferAssignmentProto).
#pragma once

#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "ingest/xplane/xplane_module.h"
#include "trace/compiled_program.h"

namespace stepscope {

// The program's memory by space, at its peak; texts go to `strings`. Empty where the message holds
// no allocation. What it says of buffers that it does not define is left out.
std::vector<ProgramMemory> MemoryOf(std::string_view assignment, const HloModule& module,
                                    StringTable& strings);

}  // namespace stepscope
