// OTLP's JSON: 64-bit integers are strings, enumerations numbers, times ns since 1970.
#include "goodput/live/otlp.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/time_units.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr int kCumulative = 2;  // AGGREGATION_TEMPORALITY_CUMULATIVE

std::string Quoted(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string Attribute(std::string_view key, std::string_view value) {
  return fmt::format(R"({{"key":{},"value":{{"stringValue":{}}}}})", Quoted(key), Quoted(value));
}

// One request's body, grown metric by metric.
class Body {
 public:
  Body(const Metrics& metrics, std::string_view instance, int64_t now)
      : metrics_(metrics), now_(now) {
    text_ = fmt::format(
        R"({{"resourceMetrics":[{{"resource":{{"attributes":[{},{}]}},"scopeMetrics":[{{"scope":)"
        R"({{"name":"stepscope","version":"{}"}},"metrics":[)",
        Attribute("service.name", "stepscope-goodput"), Attribute("service.instance.id", instance),
        STEPSCOPE_VERSION);
  }

  // `count` points of the family from number `first` on.
  void Add(const MetricFamily& family, size_t first, size_t count) {
    fmt::format_to(std::back_inserter(text_), R"({}{{"name":"{}{}","description":{},)",
                   empty_ ? "" : ",", kMetricPrefix, family.name, Quoted(family.help));
    empty_ = false;
    switch (family.type) {
      case MetricType::kGauge:
        text_ += R"("gauge":{)";
        break;
      case MetricType::kCounter:
        fmt::format_to(std::back_inserter(text_),
                       R"("sum":{{"aggregationTemporality":{},"isMonotonic":true,)", kCumulative);
        break;
      case MetricType::kHistogram:
        fmt::format_to(std::back_inserter(text_), R"("histogram":{{"aggregationTemporality":{},)",
                       kCumulative);
        break;
    }
    text_ += R"("dataPoints":[)";
    for (size_t k = first; k < first + count; ++k) {
      if (k > first) text_ += ',';
      AddPoint(family, k);
    }
    text_ += "]}}";
  }

  std::string Take() { return std::move(text_) + "]}]}]}"; }

 private:
  void AddPoint(const MetricFamily& family, size_t k) {
    const MetricPoint& point = family.points[k];
    text_ += R"({"attributes":[)";
    if (point.job != nullptr) {
      if (point.job != job_) {
        job_ = point.job;
        job_attribute_ = Attribute("job", *job_);
      }
      text_ += job_attribute_;
    }
    if (!point.key.empty()) {
      if (point.job != nullptr) text_ += ',';
      text_ += Attribute(point.key, point.value);
    }
    text_ += "],";
    if (family.type != MetricType::kGauge && point.since) {
      fmt::format_to(std::back_inserter(text_), R"("startTimeUnixNano":"{}",)",
                     std::clamp<int64_t>(*point.since, 0, now_));
    }
    fmt::format_to(std::back_inserter(text_), R"("timeUnixNano":"{}",)", now_);
    if (family.type == MetricType::kHistogram) {
      AddHistogram(family.histograms[k], point.number);
    } else {
      text_ += R"("asDouble":)";
      AppendExact(text_, point.number);
    }
    text_ += '}';
  }

  // Here a bucket has what no bucket below it has; the last is that of all beyond the last bound.
  void AddHistogram(const HistogramCounts& counts, double sum) {
    fmt::format_to(std::back_inserter(text_), R"("count":"{}","sum":)", counts.all);
    AppendExact(text_, sum);
    text_ += R"(,"bucketCounts":[)";
    int64_t below = 0;
    for (const int64_t up_to : counts.up_to) {
      fmt::format_to(std::back_inserter(text_), R"("{}",)", up_to - std::exchange(below, up_to));
    }
    fmt::format_to(std::back_inserter(text_), R"("{}"],"explicitBounds":[)", counts.all - below);
    for (size_t b = 0; b < metrics_.bounds.size(); ++b) {
      if (b > 0) text_ += ',';
      AppendExact(text_, metrics_.bounds[b]);
    }
    text_ += ']';
  }

  const Metrics& metrics_;
  int64_t now_;
  std::string text_, job_attribute_;
  const std::string* job_ = nullptr;
  bool empty_ = true;
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
        if (body) bodies.push_back(body->Take());
        body.emplace(metrics, instance, now);
        room = most_points;
      }
      const size_t count = std::min(room, family.points.size() - first);
      body->Add(family, first, count);
      first += count;
      room -= count;
    }
  }
  if (body) bodies.push_back(body->Take());
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

// The first answer that is no success, or the last.
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
                                             : fmt::format("it answers {} {}", answer.status,
                                                           answer.body.substr(0, 200));
  const std::string sentence =
      fmt::format("cannot push metrics to {}: {}", poster_.address().Text(), why);
  if (std::exchange(told_, sentence) != sentence && options_.on_problem) {
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
      told_.clear();
      backoff.Reset();
    } else {
      Problem(answer);
      // What it will not have it will not have sooner either.
      if (answer.MayRetry()) pause = std::max(backoff.Next(), answer.retry_after);
    }
    if (!Wait(pause)) return;
  } while (true);
}

}  // namespace stepscope::goodput
