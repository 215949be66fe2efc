// Reports the product of three goodputs, and gains.
#include "goodput/model/evidence_reports.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

#include "goodput/model/evidence.h"
#include "goodput/model/model_input.h"
#include "goodput/report/format.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

std::unexpected<Error> Missing(std::string_view option, std::string what, std::string hint = "") {
  if (hint.empty()) hint = fmt::format("set {}", option);
  return std::unexpected(Error{std::move(what), std::string(option), std::move(hint)});
}

Metric RatioMetric(std::string key, Phrase title, double value) {
  return {std::move(key), std::move(title), value, Unit::kRatio};
}

// A number and the option it comes from.
struct NamedNumber {
  std::string_view option;
  std::optional<double> value;
};

// `part` of `whole`; no value where neither was given.
Result<std::optional<double>> ShareOf(const NamedNumber& part, const NamedNumber& whole) {
  if (!part.value && !whole.value) return std::nullopt;
  if (!part.value || !whole.value) {
    return Missing(part.option, fmt::format("{} and {} need each other", part.option, whole.option),
                   "set both");
  }
  if (*whole.value <= 0)
    return Missing(whole.option, fmt::format("{} must be more than 0", whole.option),
                   fmt::format("set {} to a number above 0", whole.option));
  if (*part.value > *whole.value) {
    return Missing(part.option, fmt::format("{} must be at most {}", part.option, whole.option),
                   fmt::format("set {} to at most {}", part.option, whole.option));
  }
  return *part.value / *whole.value;
}

// All chip time, if its wasted part is given.
NamedNumber ChipTime(const GoodputModelOptions& o) {
  NamedNumber all{"`chips` x `over_s`", std::nullopt};
  const auto chips = ChipsOf(o);
  if (o.wasted_chip_s && chips && o.over_s) all.value = *chips * *o.over_s;
  return all;
}

// Shares of chip time, as far as given.
struct ChipShares {
  std::optional<double> scheduling, runtime, steps, replicas, wasted;
};

Result<ChipShares> ChipSharesOf(const GoodputModelOptions& o) {
  const NamedNumber allocated{"`allocated_chip_s`", o.allocated_chip_s};
  ChipShares shares;
  struct ShareInput {
    std::optional<double>& share;
    NamedNumber part, whole;
  };
  for (const auto& [share, part, whole] : std::initializer_list<ShareInput>{
           {shares.scheduling, allocated, {"`capacity_chip_s`", o.capacity_chip_s}},
           {shares.runtime, {"`saved_chip_s`", o.saved_chip_s}, allocated},
           {shares.steps,
            {"`steps_committed`", o.steps_committed},
            {"`steps_tried`", o.steps_tried}},
           {shares.replicas, {"`mean_replicas`", o.mean_replicas}, {"`replicas`", o.replicas}},
           {shares.wasted, {"`wasted_chip_s`", o.wasted_chip_s}, ChipTime(o)}}) {
    const auto found = ShareOf(part, whole);
    if (!found) return std::unexpected(found.error());
    share = *found;
  }
  return shares;
}

void AddFleet(std::optional<double> program, const ProductivityGoodput& goodput, Report& report) {
  report.metrics.push_back(RatioMetric("scheduling", "scheduling goodput", goodput.scheduling));
  report.metrics.push_back(RatioMetric("runtime", "runtime goodput", goodput.runtime));
  Phrase message = Say("Scheduling {scheduling} × runtime {runtime}",
                       HumanRatio(goodput.scheduling), HumanRatio(goodput.runtime));
  if (program) {
    report.metrics.push_back(RatioMetric("program", "program goodput", goodput.program));
    message += Say(" × program {program}", HumanRatio(goodput.program));
    report.metrics.push_back(RatioMetric("product", "ML productivity goodput", goodput.product()));
  }
  report.headline = message + " = " + HumanRatio(goodput.product()) + ".";
}

void AddSteps(double steps, std::optional<double> replicas, Report& report) {
  report.metrics.push_back(RatioMetric("committed_steps", "committed steps", steps));
  Phrase message = Say("{share} of steps were committed", HumanRatio(steps));
  if (replicas) {
    const double work = steps * *replicas;
    report.metrics.push_back(RatioMetric("committed_work", "committed work of all replicas", work));
    message += Say(", {share} of the work of all replicas", HumanRatio(work));
  }
  if (report.headline.empty()) report.headline = message + ".";
}

void AddPairs(const char* key, const char* title, const std::vector<double>& before,
              const std::vector<double>& after, Report& report) {
  if (before.empty()) return;
  const double ratio = MeanRatio(before, after), saving = MeanSaving(before, after);
  report.metrics.push_back(
      {std::string(key) + "_speedup", Say("{what} speedup, mean", title), ratio, Unit::kCount});
  report.metrics.push_back(
      RatioMetric(std::string(key) + "_saving", Say("{what} saving, mean", title), saving));
  if (!report.headline.empty()) report.headline += ". ";
  report.headline += Say("{what} are {ratio}× faster and take {saving}% less time", title,
                         fmt::format("{:.2f}", ratio), fmt::format("{:.1f}", saving * 100));
}

}  // namespace

Result<std::optional<Report>> ProductReport(const GoodputModelOptions& o) {
  const auto found = ChipSharesOf(o);
  if (!found) return std::unexpected(found.error());
  const ChipShares& shares = *found;
  Report report{.analysis = "goodput_product", .title = "Chip time"};
  if (shares.scheduling && shares.runtime) {
    AddFleet(o.program_goodput,
             {*shares.scheduling, *shares.runtime, o.program_goodput.value_or(1)}, report);
  }
  if (shares.steps) AddSteps(*shares.steps, shares.replicas, report);
  if (shares.wasted) {
    report.metrics.push_back(RatioMetric("wasted", "wasted chip time", *shares.wasted));
    if (report.headline.empty()) {
      report.headline = Say("{share} of chip time was wasted.", HumanRatio(*shares.wasted));
    }
  }
  if (report.metrics.empty()) return std::nullopt;
  return report;
}

std::optional<Report> GainsReport(const GoodputModelOptions& o) {
  if (o.restart_before_s.empty() && o.save_before_s.empty() && o.relative_mfu.empty()) {
    return std::nullopt;
  }
  Report report{.analysis = "goodput_gains", .title = "Before and after"};
  AddPairs("restart", "Restarts", o.restart_before_s, o.restart_after_s, report);
  AddPairs("save", "Saves", o.save_before_s, o.save_after_s, report);
  if (!o.relative_mfu.empty()) {
    const double loss = 1 - Mean(o.relative_mfu);
    report.metrics.push_back(RatioMetric("mfu_loss", "MFU lost", loss));
    if (!report.headline.empty()) report.headline += ". ";
    report.headline += Say("MFU is {loss}% lower", fmt::format("{:.1f}", loss * 100));
  }
  report.headline += ".";
  return report;
}

}  // namespace stepscope::goodput
