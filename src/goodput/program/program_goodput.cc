// Computes MFU, HFU and EMFU from a model, its speed and its chips.
#include "stepscope/program_goodput.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "goodput/program/flops.h"
#include "goodput/program/program_levers.h"
#include "goodput/program/program_use.h"
#include "hardware/chips.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

using goodput::TokenFlops;

constexpr double kLowMfu = 0.3;  // an MFU below this is worth a trace

std::unexpected<Error> Wrong(std::string what, std::string where, std::string hint) {
  return std::unexpected(Error{std::move(what), std::move(where), std::move(hint)});
}

// Finds an invalid number; no value if all are valid.
std::optional<Error> FindWrong(const ModelShape& s) {
  for (const double value : {s.layers,
                             s.width,
                             s.heads,
                             s.kv_heads,
                             s.head_size,
                             s.mlp_width,
                             s.vocabulary,
                             s.sequence,
                             s.window,
                             s.window_layers,
                             s.experts,
                             s.expert_layers,
                             s.experts_per_token,
                             s.shared_experts,
                             s.expert_width,
                             s.parameters,
                             s.kv_rank,
                             s.query_rank,
                             s.rope_size,
                             s.value_size}) {
    if (!(value >= 0) || !(value < 1e15)) {
      return Error{"program.shape is out of range: a number is negative or too large", "", ""};
    }
  }
  const bool by_parameters = s.parameters > 0;
  if (!by_parameters && (s.layers == 0 || s.width == 0)) {
    return Error{"missing model", "",
                 "set `shape`, or `layers`, `width`, `heads` and `mlp_width`, or `parameters`"};
  }
  if (s.heads > 0 && s.sequence == 0) {
    return Error{"missing sequence length: attention FLOPs depend on it", "", "set `sequence`"};
  }
  return std::nullopt;
}

Result<double> PeakFor(const ProgramOptions& o) {
  constexpr std::array<std::string_view, 7> kTypes = {"bf16", "fp16", "fp8", "int8",
                                                      "fp4",  "tf32", "fp32"};
  if (std::ranges::find(kTypes, o.dtype) == kTypes.end()) {
    return Wrong("unknown data type '" + o.dtype + "'", "`dtype`",
                 "set `dtype` to bf16, fp16, fp8, int8, fp4, tf32 or fp32");
  }
  if (o.peak_flops > 0) return o.peak_flops;
  const Chip* chip = FindChip(o.chip);
  std::string known;
  for (const Chip& c : KnownChips()) known += (known.empty() ? "" : ", ") + std::string(c.name);
  if (chip == nullptr) {
    return Wrong(o.chip.empty() ? "missing peak FLOP/s of a chip"
                                : "unknown peak FLOP/s of '" + o.chip + "'",
                 o.chip.empty() ? "" : "`chip`",
                 "set `peak_flops`, or set `chip` to one of: " + known);
  }
  if (const auto peak = PeakOf(*chip, o.dtype)) return *peak;
  return Wrong(fmt::format("unknown {} peak FLOP/s of {}", o.dtype, chip->name), "`dtype`",
               "set `peak_flops`, or another `dtype`");
}

// The bf16 peak, for EMFU. No value if it is unknown or equal to the type's own.
std::optional<double> Bf16Peak(const ProgramOptions& o) {
  const Chip* chip = FindChip(o.chip);
  if (chip == nullptr || o.dtype == "bf16" || o.dtype == "fp16") return std::nullopt;
  return PeakOf(*chip, "bf16");
}

Table PartsTable(const TokenFlops& f) {
  Table table{.key = "parts",
              .title = "Forward FLOPs per token",
              .columns = {Words(KeyColumn("part", "part")), CountColumn("flops", "FLOPs"),
                          RatioColumn("share", "share")}};
  std::vector<std::pair<std::string_view, double>> parts = {{"projections", f.projections},
                                                            {"attention", f.attention},
                                                            {"mlp", f.mlp},
                                                            {"experts", f.experts},
                                                            {"logits", f.logits}};
  if (f.matmul_override > 0) {
    parts = {{"matrices", f.matmul_override}, {"attention", f.attention}};
  }
  for (const auto& [part, flops] : parts) {
    if (flops > 0) table.rows.push_back({std::string(part), flops, flops / f.forward()});
  }
  return table;
}

void AddFindings(Report& report, double mfu) {
  const std::string table = report.tables.empty() ? "" : "parts";
  if (mfu > 1) {
    report.findings.push_back(
        {.severity = Severity::kHigh,
         .message = Say("MFU is {mfu} of peak FLOP/s: an input is wrong.", HumanRatio(mfu)),
         .because = "MFU cannot exceed 100% of peak",
         .hint = "check tokens per second (of the whole job), the number of chips, the chip and "
                 "the data type",
         .table = table});
  } else if (mfu < kLowMfu) {
    report.findings.push_back({.severity = Severity::kMedium,
                               .message = Say("MFU is {mfu} of peak FLOP/s.", HumanRatio(mfu)),
                               .because = "large dense models reach 35–55%",
                               .hint = "trace a few steps of all ranks and analyze the traces",
                               .table = table});
  }
}

}  // namespace

Result<goodput::ProgramRates> goodput::ProgramRatesOf(const ProgramOptions& o) {
  if (!(o.chips >= 0) || !(o.chips < 1e18)) {
    return Wrong("number of chips is out of range", "`chips`", "give a number above 0");
  }
  const auto peak = PeakFor(o);
  if (!peak) return std::unexpected(peak.error());
  ProgramRates rates{.peak = *peak, .bf16_peak = Bf16Peak(o), .chips = o.chips};
  const bool model = o.shape.parameters > 0 || o.shape.layers > 0;
  if (!model) return rates;
  if (const auto wrong = FindWrong(o.shape)) return std::unexpected(*wrong);
  rates.flops_per_token = FlopsOfToken(o.shape).training();
  return rates;
}

namespace {

bool IsMissing(double value) { return !(value > 0) || !(value < 1e18); }

std::optional<Error> FindWrongOption(const ProgramOptions& o) {
  if (o.executed_flops_ratio != 0 && !(o.executed_flops_ratio >= 1 && o.executed_flops_ratio < 100))
    return Error{"ratio of executed FLOPs is out of range", "`executed_flops_ratio`",
                 "set `executed_flops_ratio` to 1 or more"};
  if (o.flops_per_chip != 0) {
    if (!IsMissing(o.flops_per_chip)) return std::nullopt;
    return Error{"FLOP/s of a chip are out of range", "`flops_per_chip`", "give a number above 0"};
  }
  if (IsMissing(o.tokens_per_second))
    return Error{"missing `tokens_per_second`", "", "give a number above 0"};
  if (IsMissing(o.chips)) return Error{"missing `chips`", "", "give a number above 0"};
  return FindWrong(o.shape);
}

// Adds what the model's FLOP/s on one chip say; `hfu` has no value where it is unknown.
void AddUse(const ProgramOptions& o, double mfu, std::optional<double> hfu, double per_chip,
            double peak, Report& report) {
  report.metrics = {{"mfu", Say("MFU, % of {type} peak", o.dtype), mfu, Unit::kRatio}};
  if (hfu) report.metrics.push_back({"hfu", "HFU", *hfu, Unit::kRatio});
  if (const auto bf16 = Bf16Peak(o)) {
    report.metrics.push_back({"emfu", "EMFU, % of bf16 peak", per_chip / *bf16, Unit::kRatio});
  }
  report.metrics.push_back({"flops_per_chip", "FLOP/s per chip", per_chip, Unit::kCount});
  report.metrics.push_back({"peak", "peak FLOP/s per chip", peak, Unit::kCount});
  report.headline = Say("MFU is {mfu} of {type} peak FLOP/s.", HumanRatio(mfu), o.dtype);
}

// Adds what the model's shape says.
void AddModel(const ProgramOptions& o, const TokenFlops& flops, double mfu, double hfu,
              Report& report) {
  const double matrices = flops.matmuls() * 3;
  report.metrics.push_back({"mfu_without_attention", "MFU without attention",
                            mfu * matrices / flops.training(), Unit::kRatio});
  report.metrics.push_back(
      {"active_parameters", "active parameters", flops.matmuls() / 2, Unit::kCount});
  report.metrics.push_back(
      {"flops_per_token", "training FLOPs per token", flops.training(), Unit::kCount});
  if (o.shape.layers > 0 && o.shape.width > 0) {
    report.metrics.push_back(
        {"parameters", "parameters", goodput::ParametersOf(o.shape), Unit::kCount});
  }
  report.tables.push_back(PartsTable(flops));
  if (mfu > 1) return;
  const auto levers = goodput::ProgramLevers(o, flops, hfu);
  if (!levers.empty()) report.tables.push_back(goodput::LeversTable(levers, mfu));
}

}  // namespace

Result<ReportSet> ProgramGoodput(const ProgramOptions& o) {
  if (const auto wrong = FindWrongOption(o)) return std::unexpected(*wrong);
  const auto recompute = goodput::RecomputeNamed(o.recompute);
  if (!recompute)
    return Wrong("unknown recomputation '" + o.recompute + "'", "`recompute`",
                 "set `recompute` to none, attention or full");
  const auto peak = PeakFor(o);
  if (!peak) return std::unexpected(peak.error());

  const bool printed = o.flops_per_chip > 0;
  const TokenFlops flops = printed ? TokenFlops{} : goodput::FlopsOfToken(o.shape);
  const double per_chip =
      printed ? o.flops_per_chip : o.tokens_per_second * flops.training() / o.chips;
  std::optional<double> executed;  // FLOPs / those of the model
  if (o.executed_flops_ratio > 0) {
    executed = o.executed_flops_ratio;
  } else if (!printed) {
    executed = goodput::ExecutedFlops(flops, *recompute) / flops.training();
  }
  const double mfu = per_chip / *peak;
  const auto hfu = executed.transform([&](double ratio) { return mfu * ratio; });

  Report report{.analysis = "program_goodput", .title = "Program goodput"};
  AddUse(o, mfu, hfu, per_chip, *peak, report);
  if (!printed) AddModel(o, flops, mfu, hfu.value_or(mfu), report);
  AddFindings(report, mfu);
  ReportSet answer;
  answer.run.name = o.chip.empty() ? "the model" : "the model on " + o.chip;
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace stepscope
