// The state of live jobs as metrics: what /metrics shows and what is pushed elsewhere. Both say
// the same numbers, since both write what is collected here.
//
// Per job some 50 series and never one per step. Of jobs that were silent for a day there are none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/live/live.h"
#include "goodput/program/program_use.h"

namespace stepscope::goodput {

// What a server counts beside the jobs.
struct IngestCounts {
  int64_t stored = 0;      // events
  int64_t duplicates = 0;  // that were there already
  int64_t unnumbered = 0;  // without a writer or a sequence number: not taken
  int64_t unreadable = 0;  // lines that are no event
  int64_t no_room = 0;     // not taken, and the sender was told to come again
  friend bool operator==(const IngestCounts&, const IngestCounts&) = default;
};

enum class MetricType : uint8_t { kGauge, kCounter, kHistogram };

// One series at this moment. Its names belong to the jobs and the Metrics they came from.
struct MetricPoint {
  const std::string* job = nullptr;  // null: of the server, not of one job
  std::string_view key, value;       // a second label; an empty key: there is none
  double number = 0;                 // of a histogram: the sum of what was measured
  int64_t since = kUnknown;          // when the counting began
};

// What a histogram counted, in the order of bounds: how many were up to each, and how many in all.
struct HistogramCounts {
  std::vector<int64_t> up_to;
  int64_t all = 0;
};

struct MetricFamily {
  std::string_view name;  // behind kMetricPrefix
  MetricType type;
  std::string_view help;
  std::vector<MetricPoint> points;
  std::vector<HistogramCounts> histograms;  // of a histogram: beside points
};
inline constexpr std::string_view kMetricPrefix = "stepscope_goodput_";

struct Metrics {
  std::vector<MetricFamily> families;  // those that have points
  std::vector<double> bounds;          // of all histograms, seconds
  std::deque<std::string> texts;       // that points refer to
};

struct MetricsOptions {
  const IngestCounts* ingest = nullptr;  // null: nothing is taken in
  int64_t serving_since = kUnknown;
  std::optional<ProgramRates> program;  // absent: nobody knows what the chips can do
};

// Of `jobs`, which must outlive it unchanged.
Metrics CollectMetrics(std::map<std::string, LiveJob>& jobs, const MetricsOptions& options,
                       int64_t now);

enum class MetricsFormat : uint8_t {
  kPrometheus,   // text/plain; version=0.0.4
  kOpenMetrics,  // application/openmetrics-text; version=1.0.0
};
std::string MetricsText(const Metrics& metrics, MetricsFormat format);

// As it may stand between quotes: escaped, and bytes that are no UTF-8 as \xNN, since one bad byte
// would cost the whole page.
std::string LabelValue(std::string_view text);

}  // namespace stepscope::goodput
