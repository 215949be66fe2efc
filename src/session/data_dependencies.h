// Tells which operators of a recording read what others wrote, by the execution trace beside it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "ingest/execution_trace/execution_trace.h"
#include "redact/redactor.h"
#include "trace/trace.h"

namespace stepscope {

// Two of HostOps::ranges: the first takes a tensor in the storage that the second one gave last.
using DataDependency = std::pair<uint32_t, uint32_t>;

// `trace`: the recording of `rank` read again, with operators and annotations; `nodes` with
// tensors. `redactor` (may be null): of the names of `rank`. Ascending by reader. Operators that
// are not told apart by name and time have none.
std::vector<DataDependency> DataDependenciesOf(Trace trace, const ExecutionTrace& nodes,
                                               const RankActivity& rank, const StringTable& names,
                                               const redact::Redactor* redactor);

}  // namespace stepscope
