// Declares the options of every reader of trace files.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ingest/common/raw_event_observer.h"
#include "trace/vocabulary.h"

namespace stepscope {

struct ReadOptions {
  Wanted keep = Wanted::All();  // events of other kinds are counted and not kept
  // Threads that may be used beside the caller's: to inflate ahead of parsing (WindowStream), or
  // each for a share of a large file (ReadInShares; ReadInChunks of a compressed one).
  std::atomic<int>* spare_threads = nullptr;
  uint64_t least_share = uint64_t{8} << 20;  // bytes; smaller ones are for tests. Not 0
  size_t part = 0;  // which recording of a file that holds several; not 0 where there is none
  const RawEventObserver* observer = nullptr;  // told the text of what is read; must outlive it
};

}  // namespace stepscope
