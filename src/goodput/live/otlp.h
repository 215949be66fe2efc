// Metrics as OTLP/HTTP wants them in JSON (opentelemetry-proto 1.x, ExportMetricsServiceRequest),
// and the push of them to a collector.
//
// Names are those of /metrics without "_total", which collectors add when they write for
// Prometheus; no unit is given, since that would change the names once more.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/time_units.h"
#include "goodput/live/metrics.h"
#include "http/client.h"

namespace stepscope::goodput {

// Bodies of requests with at most `most_points` points each. `instance` tells this server from
// others (service.instance.id). Every count is cumulative since its job began.
std::vector<std::string> OtlpBodies(const Metrics& metrics, std::string_view instance, int64_t now,
                                    size_t most_points = 10'000);

// Pushes from a thread of its own, so that nobody waits for the collector. What could not be
// pushed is not kept: counts are cumulative, and the next push says them all.
class OtlpPush {
 public:
  struct Options {
#include "base/time_units.h"
    std::function<std::vector<std::string>()> bodies;  // called in the thread
    std::function<void(const std::string& sentence)>
        on_problem;  // likewise, once each until it works
  };
  explicit OtlpPush(Options options);
  ~OtlpPush();  // ends the thread, and a push it may be at
  OtlpPush(const OtlpPush&) = delete;
  OtlpPush& operator=(const OtlpPush&) = delete;

 private:
  void Run();
  http::Answer PushAll();
  void Problem(const http::Answer& answer);
  bool Wait(int64_t ns);  // false: it is over

  Options options_;
  http::Poster poster_;
  std::string told_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::goodput
