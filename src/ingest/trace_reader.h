// A trace file, from the first byte to the last: the one way in for those who know no format.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/byte_source.h"
#include "ingest/text_tap.h"
#include "stepscope/result.h"
#include "trace/trace.h"

namespace stepscope {

struct ReadOptions {
  Wanted keep = Wanted::All();  // events of other kinds are counted and not kept
  // Threads that may be used beside the caller's: to inflate ahead of parsing (WindowStream), or
  // each for a share of a large file that is not compressed (ReadInShares).
  std::atomic<int>* spare_threads = nullptr;
  uint64_t least_share = uint64_t{8} << 20;  // bytes; smaller ones are for tests. Not 0
  const TextTap* tap = nullptr;  // told the text of what is read; must outlive the reading
};

// Reads one trace. What is damaged costs what follows the damage, and a note; it fails only when
// the input is no trace at all: empty, binary, or JSON without events.
Result<Trace> ReadTrace(ByteSource source, const ReadOptions& options = {});

}  // namespace stepscope
