// Reads a trace file of any supported format.
#pragma once

#include <vector>

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

// Reads one trace; of a file that holds several, that of ReadOptions::part. What is damaged costs
// what follows the damage, and a note; it fails only when the input is no trace at all: empty,
// binary, or JSON without events.
Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options = {});

// Reads all that a file holds, one or more.
Result<std::vector<Recording>> ReadRecordings(ByteSource source, const ReadOptions& options = {});

// Whether what cannot be read was a trace, or may have been: its compressed data is damaged, or it
// begins as partials do and does not end so. May read all of it.
bool IsDamaged(ByteSource source);

}  // namespace stepscope
