// Program goodput, the product of three goodputs, and gains.
#include "goodput/evidence_reports.h"

#include <fmt/format.h>

#include "goodput/evidence.h"
#include "goodput/model_question.h"
#include "goodput/say.h"

namespace stepscope::goodput {
namespace {

std::unexpected<Error> Missing(std::string_view option, std::string what) {
  return std::unexpected(Error{std::move(what), std::string(option), ""});
}

Metric RatioMetric(std::string key, std::string title, double value) {
  return {std::move(key), std::move(title), value, Unit::kRatio};
}

// Reports of what utilization of the chips the tokens or the FLOPs are.
void AddUtilization(const GoodputModelOptions& o, double mfu, Report& report) {
  report.metrics.insert(report.metrics.begin(), RatioMetric("mfu", "MFU", mfu));
  report.headline = fmt::format("{} of the chips' peak goes into the model (MFU)", SayShare(mfu));
  if (o.executed_flops_ratio) {
    const double hfu = mfu * *o.executed_flops_ratio;
    report.metrics.push_back(RatioMetric("hfu", "HFU, with recomputation", hfu));
    report.headline += fmt::format(", {} with recomputation (HFU)", SayShare(hfu));
  }
  report.headline += ".";
}

Result<void> AddTokens(const GoodputModelOptions& o, Report& report) {
  if (!o.parameters) return Missing("--parameters", "tokens per second need the model's size");
  const auto chips = ChipsOf(o);
  if (!chips) return Missing("--chips", "tokens per second need the number of chips");
  const bool has_shape = o.layers && o.heads && o.head_dim && o.sequence_length;
  if (!has_shape && (o.layers || o.heads || o.head_dim || o.sequence_length)) {
    return Missing("--layers",
                   "attention takes all of --layers, --heads, --head-dim, --sequence-length");
  }
  const DenseModel model{*o.parameters, o.layers.value_or(0), o.heads.value_or(0),
                         o.head_dim.value_or(0), o.sequence_length.value_or(0)};
  const double matmul = MatmulFlopsPerToken(model), attention = AttentionFlopsPerToken(model);
  const auto mfu = [&](double flops) {
    return Mfu(*o.tokens_per_second, flops, *chips, *o.peak_tflops * 1e12);
  };
  report.metrics.push_back(RatioMetric("mfu_without_attention", "without attention", mfu(matmul)));
  AddUtilization(o, mfu(matmul + attention), report);
  return {};
}

// Only what was checked to be there.
bool HasFleet(const GoodputModelOptions& o) {
  return o.capacity_chip_s && o.allocated_chip_s && o.saved_chip_s;
}

Result<void> CheckProduct(const GoodputModelOptions& o) {
  if ((o.capacity_chip_s || o.allocated_chip_s || o.saved_chip_s) && !HasFleet(o)) {
    return Missing("--capacity-chip-time",
                   "goes with --allocated-chip-time and --saved-chip-time: give all three");
  }
  if (HasFleet(o) && (*o.allocated_chip_s > *o.capacity_chip_s || *o.allocated_chip_s <= 0)) {
    return Missing("--allocated-chip-time", "must be more than 0 and at most the capacity");
  }
  if (HasFleet(o) && *o.saved_chip_s > *o.allocated_chip_s) {
    return Missing("--saved-chip-time", "must be at most what was allocated");
  }
  if (o.steps_tried.has_value() != o.steps_committed.has_value()) {
    return Missing("--steps-committed", "goes with --steps-tried: give both");
  }
  if (o.steps_tried && *o.steps_committed > *o.steps_tried) {
    return Missing("--steps-committed", "must be at most --steps-tried");
  }
  if (o.replicas.has_value() != o.mean_replicas.has_value()) {
    return Missing("--mean-replicas", "goes with --replicas: give both");
  }
  if (o.replicas && *o.mean_replicas > *o.replicas) {
    return Missing("--mean-replicas", "must be at most --replicas");
  }
  if (o.wasted_chip_s && (!ChipsOf(o) || !o.over_s)) {
    return Missing("--wasted-chip-time", "needs --chips and --over");
  }
  if (o.wasted_chip_s && *o.wasted_chip_s > *ChipsOf(o) * *o.over_s) {
    return Missing("--wasted-chip-time", "must be at most what there was: --chips times --over");
  }
  return {};
}

void AddFleet(const GoodputModelOptions& o, Report& report) {
  const ProductivityGoodput goodput{*o.allocated_chip_s / *o.capacity_chip_s,
                                    *o.saved_chip_s / *o.allocated_chip_s,
                                    o.program_goodput.value_or(1)};
  report.metrics.push_back(RatioMetric("scheduling", "scheduling goodput", goodput.scheduling));
  report.metrics.push_back(RatioMetric("runtime", "runtime goodput", goodput.runtime));
  std::string says = fmt::format("Scheduling {} x runtime {}", SayShare(goodput.scheduling),
                                 SayShare(goodput.runtime));
  if (o.program_goodput) {
    report.metrics.push_back(RatioMetric("program", "program goodput", goodput.program));
    says += fmt::format(" x program {}", SayShare(goodput.program));
    report.metrics.push_back(RatioMetric("product", "ML productivity goodput", goodput.product()));
  }
  report.headline = fmt::format("{} = {}.", says, SayShare(goodput.product()));
}

void AddSteps(const GoodputModelOptions& o, Report& report) {
  const double steps = *o.steps_committed / *o.steps_tried;
  report.metrics.push_back(RatioMetric("committed_steps", "steps that were committed", steps));
  std::string says = fmt::format("{} of the steps were committed", SayShare(steps));
  if (o.replicas) {
    const double work = steps * *o.mean_replicas / *o.replicas;
    report.metrics.push_back(RatioMetric("committed_work", "of the work of all replicas", work));
    says += fmt::format(", {} of the work of all replicas", SayShare(work));
  }
  if (report.headline.empty()) report.headline = says + ".";
}

void AddPairs(const char* key, const char* title, const std::vector<double>& before,
              const std::vector<double>& after, Report& report) {
  if (before.empty()) return;
  const double ratio = MeanRatio(before, after), saving = MeanSaving(before, after);
  report.metrics.push_back({std::string(key) + "_speedup",
                            std::string(title) + ": mean of before / after", ratio, Unit::kCount});
  report.metrics.push_back(
      RatioMetric(std::string(key) + "_saving", std::string(title) + ": mean saving", saving));
  report.headline += fmt::format("{}{} {:.2f}x faster, {:.2f} % less",
                                 report.headline.empty() ? "" : ". ", title, ratio, saving * 100);
}

}  // namespace

Result<std::optional<Report>> ProgramReport(const GoodputModelOptions& o) {
  if (!o.tokens_per_second && !o.tflops_per_chip) return std::nullopt;
  if (!o.peak_tflops) {
    return Missing("--peak-tflops", "what can a chip do at most? There is no usual peak to assume");
  }
  Report report{.analysis = "goodput_program", .title = "Program goodput"};
  if (o.tflops_per_chip) {
    AddUtilization(o, *o.tflops_per_chip / *o.peak_tflops, report);
    return report;
  }
  if (auto added = AddTokens(o, report); !added) return std::unexpected(added.error());
  return report;
}

Result<std::optional<Report>> ProductReport(const GoodputModelOptions& o) {
  if (auto checked = CheckProduct(o); !checked) return std::unexpected(checked.error());
  if (!HasFleet(o) && !o.steps_tried && !o.wasted_chip_s) return std::nullopt;
  Report report{.analysis = "goodput_product", .title = "What became of the chip time"};
  if (HasFleet(o)) AddFleet(o, report);
  if (o.steps_tried) AddSteps(o, report);
  if (o.wasted_chip_s) {
    const double wasted = *o.wasted_chip_s / (*ChipsOf(o) * *o.over_s);
    report.metrics.push_back(RatioMetric("wasted", "chip time wasted", wasted));
    if (report.headline.empty()) {
      report.headline = fmt::format("{} of the chip time was wasted.", SayShare(wasted));
    }
  }
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
    report.headline +=
        fmt::format("{}MFU {:.2f} % lower", report.headline.empty() ? "" : ". ", loss * 100);
  }
  report.headline += ".";
  return report;
}

}  // namespace stepscope::goodput
