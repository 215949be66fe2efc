// Writes metrics as OTLP/HTTP in JSON (opentelemetry-proto 1.x, ExportMetricsServiceRequest), and
// pushes them to a collector.
//
// Names are those of /metrics without "_total", which collectors add for Prometheus. Units are
// omitted, since collectors would add them to the names.
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

// Bodies of requests with at most `most_points` points each. `instance` identifies this server
// (service.instance.id). Every count is cumulative since its job began.
std::vector<std::string> OtlpBodies(const Metrics& metrics, std::string_view instance, int64_t now,
                                    size_t most_points = 10'000);

// Pushes from its own thread, so that nothing waits for the collector. Failed pushes are dropped:
// counts are cumulative, so the next push has them all.
class OtlpPush {
 public:
  struct Options {
    http::Address to;                                  // the collector; "/v1/metrics" is added
    int64_t every = 60 * kSecond;                      // ns
    std::function<std::vector<std::string>()> bodies;  // called in the thread
    std::function<void(const std::string& sentence)>
        on_problem;  // likewise, once per problem until a push succeeds
  };
  explicit OtlpPush(Options options);
  ~OtlpPush();  // ends the thread and a running push
  OtlpPush(const OtlpPush&) = delete;
  OtlpPush& operator=(const OtlpPush&) = delete;

 private:
  void Run();
  http::Answer PushAll();
  void Problem(const http::Answer& answer);
  bool Wait(int64_t ns);  // false: it is over

  Options options_;
  http::Poster poster_;
  std::string reported_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace stepscope::goodput
