// Collects the state of live jobs as metrics. /metrics and OTLP write the same collected numbers.
//
// A job has about 50 series, none per step. Jobs without events for a day have none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/live/database_link.h"
#include "goodput/live/ingest_counts.h"
#include "goodput/live/live.h"
#include "goodput/live/relay.h"
#include "goodput/program/program_use.h"

namespace stepscope::goodput {

enum class MetricType : uint8_t { kGauge, kCounter, kHistogram };

// One sample of a series. Its names point into the jobs and the Metrics object.
struct MetricPoint {
  const std::string* job = nullptr;  // null: a metric of the server
  std::string_view key, value;       // a second label; empty key: none
  double number = 0;                 // of a histogram: the sum
  std::optional<int64_t> since;      // start of counting
};

// Cumulative counts of a histogram by bound, and the total.
struct HistogramCounts {
  std::vector<int64_t> up_to;
  int64_t all = 0;
};

struct MetricFamily {
  std::string_view name;  // after kMetricPrefix
  MetricType type;
  std::string_view help;
  std::vector<MetricPoint> points;
  std::vector<HistogramCounts> histograms;  // of a histogram, parallel to points
};
inline constexpr std::string_view kMetricPrefix = "stepscope_goodput_";

struct Metrics {
  std::vector<MetricFamily> families;  // only those with points
  std::vector<double> bounds;          // of all histograms, seconds
  std::deque<std::string> texts;       // that points refer to
};

struct DiskSpace {
  double free = 0, size = 0;  // bytes
  bool low() const { return free < 1e9 || free < size / 10; }
};

struct MetricsOptions {
  const IngestCounts* ingest = nullptr;  // null: the server takes no events
  std::optional<int64_t> serving_since;
  std::optional<ProgramRates> program;    // absent: the chips are unknown
  std::string team;                       // only its jobs, "team/..."; empty: all
  std::optional<DiskSpace> disk;          // of the directory of events
  std::optional<RelayState> relay;        // absent: the server passes nothing on
  std::optional<DatabaseState> database;  // absent: events are sent to none
};

// Collects the metrics of `jobs`, which must outlive the result unchanged.
Metrics CollectMetrics(std::map<std::string, LiveJob>& jobs, const MetricsOptions& options,
                       int64_t now);

enum class MetricsFormat : uint8_t {
  kPrometheus,   // text/plain; version=0.0.4
  kOpenMetrics,  // application/openmetrics-text; version=1.0.0
};
std::string MetricsText(const Metrics& metrics, MetricsFormat format);

}  // namespace stepscope::goodput
