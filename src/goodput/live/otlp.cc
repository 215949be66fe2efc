// Writes OTLP's JSON: 64-bit integers as strings, enumerations as numbers, times in ns since 1970.
#include "goodput/live/otlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/json_writer.h"
#include "base/time_units.h"

namespace stepscope::goodput {
namespace {

constexpr int kCumulative = 2;  // AGGREGATION_TEMPORALITY_CUMULATIVE

// Builds the body of one request, metric by metric.
class Body {
 public:
  Body(const Metrics& metrics, std::string_view instance, int64_t now)
      : metrics_(metrics), now_(now) {
    Object();
    Array("resourceMetrics");
    Object();
    json_.Key("resource");
    Object();
    Array("attributes");
    Attribute("service.name", "stepscope-goodput");
    Attribute("service.instance.id", instance);
    End(2);
    Array("scopeMetrics");
    Object();
    json_.Key("scope");
    Object();
    json_.Text("name", "stepscope");
    json_.Text("version", STEPSCOPE_VERSION);
    End(1);
    Array("metrics");
  }

  // Adds `count` points of the family from number `first` on.
  void Add(const MetricFamily& family, size_t first, size_t count) {
    Object();
    json_.Text("name", std::string(kMetricPrefix).append(family.name));
    json_.Text("description", family.help);
    json_.Key(family.type == MetricType::kGauge     ? "gauge"
              : family.type == MetricType::kCounter ? "sum"
                                                    : "histogram");
    Object();
    if (family.type != MetricType::kGauge) json_.Number("aggregationTemporality", kCumulative);
    if (family.type == MetricType::kCounter) {
      json_.Key("isMonotonic");
      json_.Bool(true);
    }
    Array("dataPoints");
    for (size_t k = first; k < first + count; ++k) AddPoint(family, k);
    End(3);
  }

  std::string Take() && {
    End(6);
    return std::move(json_).Take();
  }

 private:
  static constexpr auto kCompact = JsonWriter::Form::kCompact;

  void Object() { json_.BeginObject(kCompact); }
  void Array(std::string_view key) {
    json_.Key(key);
    json_.BeginArray(kCompact);
  }
  void End(int levels) {
    for (; levels > 0; --levels) json_.End();
  }
  void Int64(std::string_view key, int64_t number) { json_.Text(key, std::to_string(number)); }

  void Attribute(std::string_view key, std::string_view value) {
    Object();
    json_.Text("key", key);
    json_.Key("value");
    Object();
    json_.Text("stringValue", value);
    End(2);
  }

  void AddPoint(const MetricFamily& family, size_t k) {
    const MetricPoint& point = family.points[k];
    Object();
    Array("attributes");
    if (point.job != nullptr) Attribute("training_job", *point.job);
    if (!point.key.empty()) Attribute(point.key, point.value);
    End(1);
    if (family.type != MetricType::kGauge && point.since) {
      Int64("startTimeUnixNano", std::clamp<int64_t>(*point.since, 0, now_));
    }
    Int64("timeUnixNano", now_);
    if (family.type == MetricType::kHistogram) {
      AddHistogram(family.histograms[k], point.number);
    } else {
      json_.Key("asDouble");
      json_.Double(point.number);
    }
    End(1);
  }

  // OTLP buckets are not cumulative; the last one holds values beyond the last bound.
  void AddHistogram(const HistogramCounts& counts, double sum) {
    Int64("count", counts.all);
    json_.Key("sum");
    json_.Double(sum);
    Array("bucketCounts");
    int64_t below = 0;
    for (const int64_t up_to : counts.up_to) {
      json_.String(std::to_string(up_to - std::exchange(below, up_to)));
    }
    json_.String(std::to_string(counts.all - below));
    End(1);
    Array("explicitBounds");
    for (const double bound : metrics_.bounds) json_.Double(bound);
    End(1);
  }

  const Metrics& metrics_;
  int64_t now_;
  JsonWriter json_;
};

}  // namespace

std::vector<std::string> OtlpBodies(const Metrics& metrics, std::string_view instance, int64_t now,
                                    size_t most_points) {
  std::vector<std::string> bodies;
  size_t room = 0;
  std::optional<Body> body;
  for (const MetricFamily& family : metrics.families) {
    for (size_t first = 0; first < family.points.size();) {
      if (!body || room == 0) {
        if (body) bodies.push_back(std::move(*body).Take());
        body.emplace(metrics, instance, now);
        room = most_points;
      }
      const size_t count = std::min(room, family.points.size() - first);
      body->Add(family, first, count);
      first += count;
      room -= count;
    }
  }
  if (body) bodies.push_back(std::move(*body).Take());
  return bodies;
}

OtlpPush::OtlpPush(Options options) : options_(std::move(options)), poster_(options_.to, "") {
  thread_ = std::thread([this] { Run(); });
}

OtlpPush::~OtlpPush() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  over_.notify_all();
  poster_.Stop();
  thread_.join();
}

bool OtlpPush::Wait(int64_t ns) {
  std::unique_lock lock(mutex_);
  return !over_.wait_for(lock, std::chrono::nanoseconds(ns), [this] { return stop_; });
}

// The first failed answer, or the last.
http::Answer OtlpPush::PushAll() {
  http::Answer answer{.status = 200};
  for (const std::string& body : options_.bodies()) {
    answer = poster_.Post("/v1/metrics", body, "application/json");
    if (answer.status != 200) break;
  }
  return answer;
}

void OtlpPush::Problem(const http::Answer& answer) {
  const std::string why = answer.status == 0 ? answer.body
                                             : fmt::format("HTTP status {}: {}", answer.status,
                                                           answer.body.substr(0, 200));
  const std::string sentence =
      fmt::format("cannot push metrics to {}: {}", poster_.address().Text(), why);
  if (std::exchange(reported_, sentence) != sentence && options_.on_problem) {
    options_.on_problem(sentence);
  }
}

void OtlpPush::Run() {
  http::Backoff backoff(std::min(kSecond, options_.every), options_.every);
  do {
    http::Answer answer;
    try {
      answer = PushAll();
    } catch (const std::exception& error) {  // out of memory: the next time may be better
      answer.body = error.what();
    }
    int64_t pause = options_.every;
    if (answer.status == 200) {
      reported_.clear();
      backoff.Reset();
    } else {
      Problem(answer);
      // A refused push is not retried early.
      if (answer.MayRetry()) pause = std::max(backoff.Next(), answer.retry_after);
    }
    if (!Wait(pause)) return;
  } while (true);
}

}  // namespace stepscope::goodput
