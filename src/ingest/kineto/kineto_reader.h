// Reads a trace of PyTorch's profiler (Kineto), JSON with or without gzip.
#pragma once

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

// What is damaged costs what follows the damage, and a note; an error where there are no events at
// all.
Result<Trace> ReadKineto(ByteSource source, const ReadOptions& options);

}  // namespace stepscope
