// Detects the format of a trace by its first bytes, and has its reader read it.
#include "ingest/trace_reader.h"

#include <new>
#include <utility>

#include "ingest/kineto/kineto_reader.h"
#include "ingest/xplane/xplane_reader.h"
#include "trace/collective_calls.h"

namespace stepscope {

Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options) {
  try {
    const bool is_xspace = LooksLikeXSpace(source.Peek(kXSpaceSniff));
    auto trace = is_xspace ? ReadXSpace(SeekableBytes(std::move(source)), options)
                           : ReadKineto(std::move(source), options);
    if (trace) MarkKernelsOfCollectiveCalls(*trace);
    return trace;
  } catch (const std::bad_alloc&) {
    return std::unexpected(
        Error{"cannot read the trace: out of memory", "",
              "analyze fewer ranks at a time, or use a machine with more memory"});
  }
}

}  // namespace stepscope
