// Detects the format of a trace by its first bytes, and has its reader read it.
#include "ingest/trace_reader.h"

#include <new>
#include <utility>

#include "ingest/kineto/kineto_reader.h"
#include "ingest/nsys/nsys_reader.h"
#include "ingest/perfetto/perfetto_reader.h"
#include "ingest/sqlite/database_file.h"
#include "ingest/xplane/xplane_reader.h"
#include "trace/collective_calls.h"

namespace stepscope {

namespace {

Result<Trace> ReadOne(ByteSource source, const ReadOptions& options) {
  if (LooksLikeSqlite(source.Peek(kSqliteSniff)))
    return ReadNsysPart(SeekableBytes(std::move(source)), options);
  if (LooksLikePerfetto(source.Peek(kPerfettoSniff)))
    return ReadPerfettoPart(std::move(source), options);
  if (LooksLikeXSpace(source.Peek(kXSpaceSniff)))
    return ReadXSpace(SeekableBytes(std::move(source)), options);
  return ReadKineto(std::move(source), options);
}

Error OutOfMemory() {
  return {"cannot read the trace: out of memory", "",
          "analyze fewer ranks at a time, or use a machine with more memory"};
}

}  // namespace

Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options) {
  try {
    auto trace = ReadOne(std::move(source), options);
    if (trace) MarkKernelsOfCollectiveCalls(*trace);
    return trace;
  } catch (const std::bad_alloc&) {
    return std::unexpected(OutOfMemory());
  }
}

Result<std::vector<Recording>> ReadRecordings(ByteSource source, const ReadOptions& options) {
  const bool perfetto = LooksLikePerfetto(source.Peek(kPerfettoSniff));
  if (!perfetto && !LooksLikeSqlite(source.Peek(kSqliteSniff))) {
    auto trace = ReadTrace(std::move(source), options);
    if (!trace) return std::unexpected(trace.error());
    std::vector<Recording> one;
    one.push_back({std::move(*trace), {}});
    return one;
  }
  try {
    auto recordings = perfetto ? ReadPerfetto(std::move(source), options)
                               : ReadNsys(SeekableBytes(std::move(source)), options);
    if (!recordings) return recordings;
    for (Recording& recording : *recordings) MarkKernelsOfCollectiveCalls(recording.trace);
    return recordings;
  } catch (const std::bad_alloc&) {
    return std::unexpected(OutOfMemory());
  }
}

}  // namespace stepscope
