// Reads profiles of TensorFlow, JAX and PyTorch/XLA: XSpace protocol buffers, "<host>.xplane.pb".
#pragma once

#include <string_view>

#include "ingest/common/read_options.h"
#include "ingest/common/seekable_bytes.h"
#include "trace/trace.h"

namespace stepscope {

// Whether a file that begins like this is an XSpace, or was one before it was damaged as text is.
bool LooksLikeXSpace(std::string_view beginning);
inline constexpr size_t kXSpaceSniff = 64;

// Reads one profile; see ReadTrace() for what damage costs. An observer is told of the events as
// JSON, for which all of them are kept.
Result<Trace> ReadXSpace(SeekableBytes bytes, const ReadOptions& options);

}  // namespace stepscope
