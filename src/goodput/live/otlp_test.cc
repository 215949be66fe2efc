// Checks that OTLP carries the same numbers as /metrics.
#include "goodput/live/otlp.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/time_units.h"
#include "goodput/events/label_value.h"

namespace stepscope::goodput::otlp_test {
namespace {

using Json = nlohmann::json;

constexpr int64_t kBegin = 1'780'000'000 * kSecond;
constexpr int64_t kNow = kBegin + 85 * kSecond;
using JobMap = std::map<std::string, LiveJob>;

void Fill(LiveJob& job) {
  int64_t sequence = 0;
  const auto record = [&](EventKind kind, int64_t at, int64_t step, int64_t count = kUnknown) {
    Event event{.kind = kind, .time = kBegin + at * kSecond, .writer = "w", .step = step};
    event.sequence = sequence++;
    event.counts[0] = count;
    job.Add(event, kNow);
  };
  for (int64_t step = 0; step < 4; ++step) record(EventKind::kStepStart, 10 * step, step);
  record(EventKind::kActivity, 31, 3, 1000);
  for (int64_t step = 2; step < 5; ++step) record(EventKind::kStepStart, 10 * step + 40, step);
}

// Every series of a request as the line of /metrics that says the same.
void AddLines(const Json& body, std::set<std::string>& lines) {
  for (const Json& metric :
       body.at("resourceMetrics").at(0).at("scopeMetrics").at(0).at("metrics")) {
    const bool sum = metric.contains("sum"), histogram = metric.contains("histogram");
    const Json& data = metric.at(sum ? "sum" : histogram ? "histogram" : "gauge");
    if (sum || histogram) {
      EXPECT_EQ(data.at("aggregationTemporality"), 2) << metric;
    }
    if (sum) {
      EXPECT_EQ(data.at("isMonotonic"), true) << metric;
    }
    const std::string name = metric.at("name");
    for (const Json& point : data.at("dataPoints")) {
      EXPECT_EQ(point.at("timeUnixNano"), std::to_string(kNow));
      EXPECT_EQ(point.contains("startTimeUnixNano"), sum || histogram) << metric;
      std::string labels;
      for (const Json& a : point.at("attributes")) {
        labels +=
            fmt::format("{}{}=\"{}\"", labels.empty() ? "" : ",", a.at("key").get<std::string>(),
                        LabelValue(a.at("value").at("stringValue").get<std::string>()));
      }
      const auto line = [&](const std::string& suffix, const std::string& more, const Json& value) {
        lines.insert(fmt::format("{}{}{{{}{}}} {}", name, suffix, labels, more, value.dump()));
      };
      if (!histogram) {
        line(sum ? "_total" : "", "", point.at("asDouble"));
        continue;
      }
      double below = 0;
      const Json& bounds = point.at("explicitBounds");
      const Json& counts = point.at("bucketCounts");
      ASSERT_EQ(counts.size(), bounds.size() + 1);
      for (size_t b = 0; b < counts.size(); ++b) {
        below += std::stod(counts[b].get<std::string>());
        const std::string bound = b < bounds.size() ? bounds[b].dump() : "+Inf";
        line("_bucket", ",le=\"" + bound + "\"", below);
      }
      line("_count", "", std::stod(point.at("count").get<std::string>()));
      line("_sum", "", point.at("sum"));
    }
  }
}

std::set<std::string> LinesOf(const std::string& page) {
  std::set<std::string> lines;
  for (size_t at = 0; at < page.size();) {
    const size_t end = page.find('\n', at);
    if (page[at] != '#') lines.insert(page.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Otlp, EqualsTheMetricsPage) {
  JobMap jobs;
  Fill(jobs["llm"]);
  Fill(jobs["a \"b\"\\"]);
  const IngestCounts counts{.stored = 5, .unreadable = 2};
  const Metrics metrics = CollectMetrics(
      jobs,
      {.ingest = &counts,
       .serving_since = kBegin,
       .program =
           ProgramRates{.flops_per_token = 1e9, .peak = 1e12, .bf16_peak = 1e12, .chips = 2}},
      kNow);
  const std::set<std::string> page = LinesOf(MetricsText(metrics, MetricsFormat::kPrometheus));
  EXPECT_GT(page.size(), 100u);
  // However it is cut into requests.
  for (const size_t most : {size_t{10'000}, size_t{7}, size_t{1}}) {
    std::set<std::string> pushed;
    size_t points = 0;
    const auto bodies = OtlpBodies(metrics, "here:/folder", kNow, most);
    for (const std::string& text : bodies) AddLines(Json::parse(text), pushed);
    for (const MetricFamily& family : metrics.families) points += family.points.size();
    EXPECT_EQ(bodies.size(), (points + most - 1) / most);
    EXPECT_EQ(pushed, page);
  }
}

TEST(Otlp, CountsStartWithTheirJob) {
  JobMap jobs;
  Fill(jobs["llm"]);
  const auto bodies = OtlpBodies(CollectMetrics(jobs, {}, kNow), "here", kNow);
  ASSERT_EQ(bodies.size(), 1u);
  EXPECT_NE(bodies[0].find(fmt::format("\"startTimeUnixNano\":\"{}\"", kBegin)), std::string::npos);
  EXPECT_TRUE(OtlpBodies({}, "here", kNow).empty());
}

// One bad byte must not cost the whole request.
TEST(Otlp, InvalidNamesAreReplaced) {
  JobMap jobs;
  Fill(jobs["\xff\n"]);
  const auto bodies = OtlpBodies(CollectMetrics(jobs, {}, kNow), "here", kNow);
  ASSERT_EQ(bodies.size(), 1u);
  EXPECT_FALSE(Json::parse(bodies[0], nullptr, false).is_discarded());
}

}  // namespace
}  // namespace stepscope::goodput::otlp_test
