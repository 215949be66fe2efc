// Compares quantities that several analyses tell.
#include "tests/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "tests/answer.h"

namespace stepscope::testing {
namespace {

using StepKey = std::tuple<int64_t, int64_t, int64_t>;  // rank, window, step
StepKey StepOf(const Row& row) { return {row.Int("rank"), row.Int("window"), row.Int("step")}; }

bool IsAvailable(const ReportSet& answer, std::string_view analysis) {
  return ReportOf(answer, analysis).status != Status::kUnavailable;
}

double AsReal(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

class Comparer {
 public:
  explicit Comparer(const ReportSet& answer) : answer_(answer) {}

  std::vector<std::string> Compare() {
    CompareSteps();
    CompareBreakdown();
    CompareMeanStep();
    CompareInput();
    CompareDevices();
    CompareAllReduces();
    CompareKernels();
    if (IsAvailable(answer_, "overview")) CompareUtilization();
    CompareWaits();
    ComparePath();
    return std::move(found_);
  }

 private:
  // `tolerance` is absolute, for means that were rounded to whole ns.
  void Same(std::string_view what, double a, double b, double tolerance = 0) {
    if (std::abs(a - b) > tolerance + 1e-9 * std::max(std::abs(a), std::abs(b)))
      found_.push_back(fmt::format("{}: {} and {}", what, a, b));
  }
  void AtMost(std::string_view what, double low, double high, double tolerance = 0) {
    if (low > high + tolerance) found_.push_back(fmt::format("{}: {} of {}", what, low, high));
  }
  // The value of a metric, where it has one.
  void SameMetric(std::string_view what, std::string_view analysis, std::string_view key, double b,
                  double tolerance = 0) {
    for (const Metric& metric : ReportOf(answer_, analysis).metrics) {
      if (metric.key == key && !std::holds_alternative<std::monostate>(metric.value))
        Same(what, AsReal(metric.value), b, tolerance);
    }
  }
  double Sum(std::string_view analysis, std::string_view table, std::string_view column) const {
    double sum = 0;
    for (const Row& row : RowsOf(answer_, analysis, table)) {
      if (row.Has(column)) sum += AsReal(row.At(column));
    }
    return sum;
  }

  // How many steps there are, and how long they take.
  void CompareSteps() {
    if (!IsAvailable(answer_, "steps")) return;
    const auto steps = RowsOf(answer_, "steps", "steps");
    const auto overview = RowsOf(answer_, "overview", "steps");
    const auto count = static_cast<double>(overview.size());
    Same("steps", static_cast<double>(steps.size()), count);
    SameMetric("steps of all ranks", "overview", "steps", count);
    std::set<int64_t> numbers;
    for (const Row& row : steps) numbers.insert(row.Int("step"));
    SameMetric("steps", "steps", "steps", static_cast<double>(numbers.size()));
    SameMetric("median step time", "steps", "median",
               AsReal(MetricOf(answer_, "overview", "step_time_median")));
    SameMetric("mean step time", "overview", "step_time_mean",
               Sum("overview", "steps", "time") / count, 1);
    SameMetric("device compute", "overview", "device_compute_ratio",
               Sum("overview", "steps", "device_compute") / Sum("overview", "steps", "time"));
    for (const Row& row : RowsOf(answer_, "overview", "step_time")) {
      std::string column = row.Text("category");
      std::ranges::replace(column, ' ', '_');
      // Where threads of the host are the device, the titles of two categories do not say "device".
      if (column == "compute" || column == "collectives") column.insert(0, "device_");
      Same(row.Text("category"), AsReal(row.At("mean")), Sum("overview", "steps", column) / count,
           1);
    }
  }

  // What each step number went to.
  void CompareBreakdown() {
    std::map<int64_t, std::vector<Row>> steps;
    for (const Row& row : RowsOf(answer_, "overview", "steps"))
      steps[row.Int("step")].push_back(row);
    for (const Row& row : RowsOf(answer_, "steps", "breakdown")) {
      const auto& own = steps[row.Int("step")];
      Same("ranks of a step", AsReal(row.At("ranks")), static_cast<double>(own.size()));
      for (const auto& [here, there] :
           {std::pair("step_time", "time"), std::pair("device_compute", "device_compute"),
            std::pair("input", "input"), std::pair("all_others", "all_others"),
            std::pair("one-time_work", "one-time_work")}) {
        double sum = 0;
        for (const Row& step : own) sum += AsReal(step.At(there));
        Same(here, AsReal(row.At(here)), sum / static_cast<double>(own.size()), 1);
      }
    }
  }

  // The mean step is that of typical steps, since a change where there is one.
  void CompareMeanStep() {
    if (!IsAvailable(answer_, "breakdown")) return;
    const auto metric = [&](std::string_view key) -> std::optional<double> {
      for (const Metric& one : ReportOf(answer_, "breakdown").metrics) {
        if (one.key == key && !std::holds_alternative<std::monostate>(one.value))
          return AsReal(one.value);
      }
      return std::nullopt;
    };
    const auto time = metric("step_time"), since = metric("since_step");
    if (!time) return;
    double sum = 0, count = 0;
    for (const Row& row : RowsOf(answer_, "overview", "steps")) {
      const bool counts = !since || static_cast<double>(row.Int("step")) >= *since;
      if (!counts || row.Text("typical") != "yes") continue;
      sum += AsReal(row.At("time"));
      ++count;
    }
    Same("mean step", *time, sum / count, 1);
  }

  void CompareInput() {
    if (!IsAvailable(answer_, "steps")) return;
    const double input = Sum("overview", "steps", "input");
    Same("input wait", Sum("steps", "steps", "input_wait"), input);
    if (IsAvailable(answer_, "input_pipeline"))
      SameMetric("input wait", "input_pipeline", "input_ratio",
                 input / Sum("overview", "steps", "time"));
  }

  // What devices did, in all and by step.
  void CompareDevices() {
    if (!IsAvailable(answer_, "temporal_breakdown")) return;
    const double span = Sum("temporal_breakdown", "ranks", "span");
    SameMetric("idle", "temporal_breakdown", "idle_ratio",
               Sum("temporal_breakdown", "ranks", "idle") / span);
    if (IsAvailable(answer_, "comm_overlap"))
      SameMetric("exposed communication", "comm_overlap", "exposed_ratio",
                 Sum("comm_overlap", "ranks", "exposed") / span);
    std::map<std::pair<StepKey, int64_t>, Row> steps;
    for (const Row& row : RowsOf(answer_, "temporal_breakdown", "steps"))
      steps.emplace(std::pair(StepOf(row), row.Int("device")), row);
    for (const Row& row : RowsOf(answer_, "imbalance", "matrix")) {
      const auto own = steps.find({StepOf(row), row.Int("device")});
      if (own == steps.end()) continue;
      Same("span of a step", AsReal(row.At("step_time")), AsReal(own->second.At("span")));
      for (const char* part : {"idle", "compute"})
        Same(part, AsReal(row.At(part)), AsReal(own->second.At(part)));
    }
  }

  // All-reduces are part of communication.
  void CompareAllReduces() {
    using Key = std::tuple<int64_t, int64_t, int64_t>;
    const auto key_of = [](const Row& row) {
      return Key(row.Int("rank"), row.Int("window"), row.Int("device"));
    };
    std::map<Key, Row> communication;
    for (const Row& row : RowsOf(answer_, "comm_overlap", "ranks"))
      communication.emplace(key_of(row), row);
    for (const Row& row : RowsOf(answer_, "allreduce_check", "ranks")) {
      const auto all = communication.find(key_of(row));
      if (all == communication.end()) continue;
      AtMost("exposed all-reduces", AsReal(row.At("exposed")), AsReal(all->second.At("exposed")));
      AtMost("all-reduces", AsReal(row.At("measured")), AsReal(all->second.At("communication")));
    }
  }

  // Kernels, their time and their launches.
  void CompareKernels() {
    double all = 0, count = 0, no_copies = 0;
    for (const Row& row : RowsOf(answer_, "kernel_breakdown", "kernels")) {
      all += AsReal(row.At("sum"));
      count += AsReal(row.At("count"));
      if (row.Text("kind") != "memory") no_copies += AsReal(row.At("sum"));
    }
    if (IsAvailable(answer_, "kernels"))
      Same("kernel time", Sum("kernels", "kernels", "total"), no_copies);
    if (IsAvailable(answer_, "operator_kernels"))
      AtMost("kernel time of operators", Sum("operator_kernels", "operators", "gpu_time"), all);
    if (IsAvailable(answer_, "launch_stats"))
      Same("activities", Sum("launch_stats", "ranks", "gpu_events"), count);
  }

  // What the devices computed, of their peak.
  void CompareUtilization() {
    const Cell& known = MetricOf(answer_, "overview", "flop_utilization");
    if (!std::holds_alternative<std::monostate>(known))
      SameMetric("HFU", "flops", "hfu", AsReal(known));
  }

  void CompareWaits() {
    if (!IsAvailable(answer_, "stragglers")) return;
    if (RowsOf(answer_, "stragglers", "ranks").empty()) return;
    // Where ranks wait for those without a trace, no other is blamed.
    for (const Metric& metric : ReportOf(answer_, "stragglers").metrics) {
      if (metric.key == "waiting_absent") return;
    }
    Same("waiting for ranks", Sum("stragglers", "ranks", "blame"),
         Sum("collectives", "ranks", "as_last"));
    if (!IsAvailable(answer_, "layout")) return;
    Same("waiting for ranks by place", Sum("stragglers", "ranks", "blame"),
         Sum("layout", "ranks", "blame"));
  }

  // What the host's part of the path saves is no more than devices wait.
  void ComparePath() {
    const auto ranks = RowsOf(answer_, "critical_path", "ranks");
    if (ranks.empty()) return;
    const double idle =
        AsReal(MetricOf(answer_, "critical_path", "idle_ratio")) * AsReal(ranks.front().At("span"));
    constexpr auto kOfHost = std::to_array<std::string_view>(
        {"cpu*0", "launch*0", "data_loading*0", "cpu*0.5; launch*0.5"});
    for (const Row& row : RowsOf(answer_, "critical_path", "what_if")) {
      const bool shown = row.At("rank") == ranks.front().At("rank") &&
                         row.At("window") == ranks.front().At("window");
      if (shown && std::ranges::find(kOfHost, row.Text("change")) != kOfHost.end())
        AtMost("saved by " + row.Text("change"), AsReal(row.At("saved")), idle, 1);
    }
  }

  const ReportSet& answer_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> Contradictions(const ReportSet& answer) {
  return Comparer(answer).Compare();
}

}  // namespace stepscope::testing
