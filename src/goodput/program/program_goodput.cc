// From a model and its speed to utilisations.
#include "stepscope/program_goodput.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "goodput/program/flops.h"
#include "goodput/program/program_use.h"
#include "hardware/chips.h"
#include "report/humanize.h"

namespace stepscope {
namespace {

using goodput::TokenFlops;

constexpr double kLow = 0.3;  // an MFU below this has a cause that can be found

std::unexpected<Error> Wrong(std::string what, std::string where, std::string hint) {
  return std::unexpected(Error{std::move(what), std::move(where), std::move(hint)});
}

// Nothing when all is well with the model.
std::optional<Error> FindWrong(const ModelShape& s) {
  for (const double value :
       {s.layers, s.width, s.heads, s.kv_heads, s.head_size, s.mlp_width, s.vocabulary, s.sequence,
        s.window, s.experts, s.expert_layers, s.experts_per_token, s.shared_experts, s.expert_width,
        s.parameters, s.kv_rank, s.query_rank, s.rope_size, s.value_size}) {
    if (!(value >= 0) || !(value < 1e15)) {
      return Error{"a number of the model is negative or too large", "", ""};
    }
  }
  const bool by_parameters = s.parameters > 0;
  if (!by_parameters && (s.layers == 0 || s.width == 0)) {
    return Error{"the model is missing", "",
                 "its config.json, or layers, width, heads and the width of the MLP, or its "
                 "parameters"};
  }
  if (s.heads > 0 && s.sequence == 0) {
    return Error{"the length of a sequence is missing", "", "attention depends on it"};
  }
  return std::nullopt;
}

Result<double> PeakFor(const ProgramOptions& o) {
  if (o.peak_flops > 0) return o.peak_flops;
  const Chip* chip = FindChip(o.chip);
  std::string known;
  for (const Chip& c : KnownChips()) known += (known.empty() ? "" : ", ") + std::string(c.name);
  if (chip == nullptr) {
    return Wrong(o.chip.empty() ? "the chip is missing" : "unknown peak of '" + o.chip + "'", "",
                 "give the peak of one chip in FLOPs a second, or one of: " + known);
  }
  if (const auto peak = PeakOf(*chip, o.dtype)) return *peak;
  return Wrong(fmt::format("unknown {} peak of {}", o.dtype, chip->name), "",
               "give the peak of one chip in FLOPs a second");
}

// The bf16 peak, for EMFU; nothing where it is not known or no other than the type's.
std::optional<double> Bf16Peak(const ProgramOptions& o) {
  const Chip* chip = FindChip(o.chip);
  if (chip == nullptr || o.dtype == "bf16" || o.dtype == "fp16") return std::nullopt;
  return PeakOf(*chip, "bf16");
}

Table PartsTable(const TokenFlops& f) {
  Table table{.key = "parts",
              .title = "Forward FLOPs of a token",
              .columns = {{"part", "part", Unit::kNone, Role::kKey},
                          {"flops", "FLOPs", Unit::kCount},
                          {"share", "share", Unit::kRatio}}};
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
  if (mfu > 1) {
    report.findings.push_back(
        {.severity = Severity::kHigh,
         .message = "The job would do more than its chips can: something given is wrong.",
         .because = fmt::format("MFU {}", HumanRatio(mfu)),
         .hint = "check tokens per second (of the whole job?), chips, the chip and the type",
         .table = "parts"});
  } else if (mfu < kLow) {
    report.findings.push_back(
        {.severity = Severity::kMedium,
         .message = fmt::format("The chips do {} of what they could.", HumanRatio(mfu)),
         .because = "large dense models reach 35 to 55 %",
         .hint = "record a few steps of all ranks and run 'stepscope analyze' on them: it says "
                 "where the time goes",
         .table = "parts"});
  }
}

}  // namespace

Result<goodput::ProgramRates> goodput::ProgramRatesOf(const ProgramOptions& o) {
  if (!(o.chips >= 0) || !(o.chips < 1e18)) {
    return Wrong("the number of chips is out of range", "", "a number above 0");
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

Result<ReportSet> ProgramGoodput(const ProgramOptions& o) {
  const auto missing = [](double value) { return !(value > 0) || !(value < 1e18); };
  if (missing(o.tokens_per_second)) {
    return Wrong("tokens per second are missing", "", "a number above 0");
  }
  if (missing(o.chips)) return Wrong("the number of chips is missing", "", "a number above 0");
  if (const auto wrong = FindWrong(o.shape)) return std::unexpected(*wrong);
  const auto recompute = goodput::RecomputeNamed(o.recompute);
  if (!recompute)
    return Wrong("unknown '" + o.recompute + "'", "recompute", "none, attention or full");
  const auto peak = PeakFor(o);
  if (!peak) return std::unexpected(peak.error());

  const TokenFlops flops = goodput::FlopsOfToken(o.shape);
  const auto share = [&](double per_token, double of) {
    return goodput::Utilisation(o.tokens_per_second, per_token, o.chips, of);
  };
  const double mfu = share(flops.training(), *peak);
  const double hfu = share(goodput::ExecutedFlops(flops, *recompute), *peak);
  Report report{.analysis = "program_goodput", .title = "Use of the chips"};
  report.metrics = {
      {"mfu", fmt::format("model FLOPs utilisation (MFU), of the {} peak", o.dtype), mfu,
       Unit::kRatio},
      {"hfu", "with what is computed again (HFU)", hfu, Unit::kRatio},
      {"active_parameters", "parameters that a token meets, without the embedding",
       flops.matmuls() / 2, Unit::kCount},
      {"flops_per_token", "FLOPs of a token in training", flops.training(), Unit::kCount},
      {"flops_per_chip", "FLOPs a chip does in a second",
       o.tokens_per_second * flops.training() / o.chips, Unit::kCount},
      {"peak", "FLOPs it could do", *peak, Unit::kCount}};
  if (const auto bf16 = Bf16Peak(o)) {
    report.metrics.insert(
        report.metrics.begin() + 2,
        {"emfu", "of the bf16 peak (EMFU)", share(flops.training(), *bf16), Unit::kRatio});
  }
  if (o.shape.layers > 0 && o.shape.width > 0) {
    report.metrics.push_back(
        {"parameters", "parameters of the model", goodput::ParametersOf(o.shape), Unit::kCount});
  }
  report.headline = fmt::format("The chips do {} of what they could at most (MFU, {}).",
                                HumanRatio(mfu), o.dtype);
  report.tables.push_back(PartsTable(flops));
  AddFindings(report, mfu);
  ReportSet answer;
  answer.run.name = o.chip.empty() ? "the model" : "the model on " + o.chip;
  answer.verdict = report.headline;
  answer.reports.push_back(std::move(report));
  return answer;
}

}  // namespace stepscope
