// Reads a trace in Perfetto's format (protocol buffers, `.pftrace`), with or without gzip.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "ingest/common/recording.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

// How many of a file's first bytes LooksLikePerfetto() asks for.
inline constexpr size_t kPerfettoSniff = 4096;

// Whether a file with these first bytes is one: a message of packets, of which one has a field that
// only such packets have.
bool LooksLikePerfetto(std::string_view beginning);

// All recordings in a file: as `export` writes them one for each rank; of xpu_timer's likewise; of
// other writers the whole file is one. What is damaged costs what follows the damage, and a note;
// an error where there are no events at all.
Result<std::vector<Recording>> ReadPerfetto(ByteSource source, const ReadOptions& options);

// That of ReadOptions::part. An observer is told of it in the form of PyTorch's profiler.
Result<Trace> ReadPerfettoPart(ByteSource source, const ReadOptions& options);

}  // namespace stepscope
