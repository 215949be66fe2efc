// The state of live jobs as text for Prometheus and everything else that reads its format.
//
// Per job some 50 series and never one per step. Of jobs that were silent for a day there are none.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "goodput/live.h"

namespace stepscope::goodput {

enum class MetricsFormat : uint8_t {
  kPrometheus,   // text/plain; version=0.0.4
  kOpenMetrics,  // application/openmetrics-text; version=1.0.0
};

// What a server counts beside the jobs.
struct IngestCounts {
  int64_t stored = 0;      // events
  int64_t duplicates = 0;  // that were there already
  int64_t unnumbered = 0;  // without a writer or a sequence number: not taken
  int64_t unreadable = 0;  // lines that are no event
  int64_t no_room = 0;     // not taken, and the sender was told to come again
  friend bool operator==(const IngestCounts&, const IngestCounts&) = default;
};

// `ingest`: null where nothing is taken in.
std::string MetricsText(std::map<std::string, LiveJob>& jobs, const IngestCounts* ingest,
                        MetricsFormat format, int64_t now);

// As it may stand between quotes: escaped, and bytes that are no UTF-8 as \xNN, since one bad byte
// would cost the whole page.
std::string LabelValue(std::string_view text);

}  // namespace stepscope::goodput
