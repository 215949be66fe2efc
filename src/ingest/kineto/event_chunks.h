// Reads the events of one compressed file on several threads, of which one at a time inflates.
//
// Each thread inflates some megabytes up to where, by looks, an event begins, and reads those while
// the next thread inflates. What they read is joined in the order of the file, and only as far as
// each took all that it had: so what comes out is what one thread would have read. What is behind
// that, such as damage, is left to one thread again; it looks for whole events in other windows
// then, and may find a few more or fewer in damaged text.
#pragma once

#include <string_view>

#include "base/window_stream.h"
#include "ingest/common/read_options.h"
#include "ingest/kineto/kineto_events.h"

namespace stepscope {

// Reads events from `text` on, which the stream goes on behind, where an element of their array
// begins or space or a comma before one; on this thread and those that are to spare. What was not
// taken is what the stream has next: the bracket that ends the array, or what is no whole event.
// False, and nothing done, if no thread is to spare. REQUIRES: options.spare_threads, and no thread
// reads ahead.
bool ReadInChunks(WindowStream& stream, std::string_view text, const ReadOptions& options,
                  KinetoEvents& events);

}  // namespace stepscope
