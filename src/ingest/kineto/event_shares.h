// Reads the events of one large file on several threads, one share each.
//
// A share begins where, by looks, an event does. Whether one does is known when the share before it
// was read: only if that one took whole events up to that very place do its neighbor's count. So
// what comes out is what one thread would have read, whatever the text holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/byte_source.h"
#include "ingest/common/read_options.h"
#include "ingest/kineto/kineto_events.h"
#include "trace/trace.h"

namespace stepscope {

// An event larger than this is taken to be damage.
inline constexpr size_t kEventLimit = size_t{128} << 20;

// The comma between two events that is nearest to the end, by looks: "}" "," "{" with only space
// between, which inside a string or an event's own arrays could look the same. Null if there is
// none.
char* LikelyBreak(char* begin, char* end);

// Takes whole events up to the end or to what is none: what ends the array, or is for a reader that
// looks closer. Returns how many bytes those were.
uint64_t TakeEvents(ByteSource source, KinetoEvents& events);

// Whether a file is worth more than one thread: it is large, plain, and nobody wants its text.
bool CanShare(const ByteSource& source, const ReadOptions& options);

// Reads events from `from` on, where an element of their array begins or space or a comma before
// one, on this thread and those that are to spare. Returns up to where: the end of the input, the
// bracket that ends the array, or what is no whole event, which is left to a reader that looks
// closer. Nothing is returned, and nothing done, if no thread is to spare or too little is left.
// REQUIRES: CanShare(), and `from` is within the source.
std::optional<uint64_t> ReadInShares(const ByteSource& source, uint64_t from,
                                     const ReadOptions& options, KinetoEvents& events);

}  // namespace stepscope
