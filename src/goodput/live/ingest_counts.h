// Counts what a server did with the events that it was sent.
#pragma once

#include <cstdint>

namespace stepscope::goodput {

struct IngestCounts {
  int64_t stored = 0;      // events
  int64_t duplicates = 0;  // already stored
  int64_t unnumbered = 0;  // without writer or sequence: skipped
  int64_t unreadable = 0;  // lines that are not events
  int64_t no_room = 0;     // skipped; the client is asked to send again
  friend bool operator==(const IngestCounts&, const IngestCounts&) = default;
};

}  // namespace stepscope::goodput
