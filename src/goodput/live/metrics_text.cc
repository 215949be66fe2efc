// Writes metrics in the text formats of Prometheus and OpenMetrics.
#include <fmt/format.h>

#include "base/exact.h"
#include "goodput/events/label_value.h"
#include "goodput/live/metrics.h"

namespace stepscope::goodput {
namespace {

class Page {
 public:
  explicit Page(const Metrics& metrics) : metrics_(metrics) {}

  void Add(const MetricFamily& family, bool open) {
    static constexpr std::string_view kTypes[] = {"gauge", "counter", "histogram"};
    name_ = fmt::format("{}{}", kMetricPrefix, family.name);
    const bool counter = family.type == MetricType::kCounter;
    const std::string_view suffix = counter && !open ? "_total" : "";
    text_ += fmt::format("# HELP {}{} {}\n# TYPE {}{} {}\n", name_, suffix, family.help, name_,
                         suffix, kTypes[static_cast<size_t>(family.type)]);
    for (size_t k = 0; k < family.points.size(); ++k) {
      const MetricPoint& point = family.points[k];
      SetLabels(point);
      if (family.type == MetricType::kHistogram) {
        AddHistogram(family.histograms[k], point.number);
      } else {
        Sample(counter ? "_total" : "", point.number);
      }
    }
  }

  std::string Take() { return std::move(text_); }

 private:
  void SetLabels(const MetricPoint& point) {
    if (point.job != nullptr && point.job != job_) {
      job_ = point.job;
      job_label_ = fmt::format("training_job=\"{}\"", LabelValue(*job_));
    }
    labels_ = point.job == nullptr ? "" : job_label_;
    if (point.key.empty()) return;
    labels_ += fmt::format("{}{}=\"{}\"", labels_.empty() ? "" : ",", point.key, point.value);
  }

  void Sample(std::string_view suffix, double value, std::string_view more = {}) {
    text_ += fmt::format("{}{}{{{}{}}} ", name_, suffix, labels_, more);
    AppendExact(text_, value);
    text_ += '\n';
  }

  // Both formats require "1.0" for a bound of whole seconds.
  void AddHistogram(const HistogramCounts& counts, double sum) {
    for (size_t b = 0; b < metrics_.bounds.size(); ++b) {
      std::string label = ",le=\"";
      AppendExact(label, metrics_.bounds[b]);
      Sample("_bucket", static_cast<double>(counts.up_to[b]), label + '"');
    }
    Sample("_bucket", static_cast<double>(counts.all), ",le=\"+Inf\"");
    Sample("_count", static_cast<double>(counts.all));
    Sample("_sum", sum);
  }

  const Metrics& metrics_;
  std::string text_, name_, labels_, job_label_;
  const std::string* job_ = nullptr;
};

}  // namespace

std::string MetricsText(const Metrics& metrics, MetricsFormat format) {
  const bool open = format == MetricsFormat::kOpenMetrics;
  Page page(metrics);
  for (const MetricFamily& family : metrics.families) page.Add(family, open);
  return page.Take() + (open ? "# EOF\n" : "");
}

}  // namespace stepscope::goodput
