// Reads a trace file of any supported format.
#pragma once

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

// Reads one trace. What is damaged costs what follows the damage, and a note; it fails only when
// the input is no trace at all: empty, binary, or JSON without events.
Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options = {});

}  // namespace stepscope
