// Bounds the worth of changes of the program by Amdahl's law.
#include "goodput/program/program_levers.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>

#include "hardware/chips.h"
#include "report/columns.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr double kLeast = 0.005;  // of step time: below, a lever is not listed

// Times that an attention without a fused kernel moves the scores of a layer through memory:
// written and read by the product, the mask, the softmax and the second product; twice that in the
// backward pass, which needs gradients of two inputs.
constexpr double kPassesOverScores = 3 * 4;
constexpr double kBytesPerScore = 2;

// Whether multiplications are of a type that a narrower one can replace.
bool IsWide(const std::string& dtype) { return dtype == "bf16" || dtype == "fp16"; }

// The share of step time in matrix multiplications, and where that is from.
struct MatrixTime {
  double share = 0;
  std::string source;
};

MatrixTime MatrixTimeOf(const ProgramOptions& o, const TokenFlops& flops, double hfu) {
  if (o.matrix_share > 0) {
    return {std::min(o.matrix_share, 1.0),
            fmt::format("matrix multiplications take {} of step time in the traces",
                        HumanRatio(std::min(o.matrix_share, 1.0)))};
  }
  const double share = std::min(hfu, 1.0) * flops.matmuls() / flops.forward();
  return {share,
          fmt::format("matrix multiplications take at least {} of step time, their FLOPs at peak; "
                      "traces tell how much",
                      HumanRatio(share))};
}

std::optional<ProgramLever> Narrower(const ProgramOptions& o, const Chip& chip,
                                     std::string_view dtype, const MatrixTime& time) {
  const auto wide = PeakOf(chip, o.dtype), narrow = PeakOf(chip, dtype);
  if (!IsWide(o.dtype) || !wide || !narrow || *narrow <= *wide) return std::nullopt;
  return ProgramLever{fmt::format("{} training", dtype), time.share * (1 - *wide / *narrow),
                      fmt::format("{}; all of them run in {} at {:.1f} times the rate of {}; casts "
                                  "cost nothing and the loss does not change",
                                  time.source, dtype, *narrow / *wide, o.dtype)};
}

std::optional<ProgramLever> FusedAttention(const ProgramOptions& o, const TokenFlops& flops,
                                           const Chip& chip) {
  const double per_key =
      4 * o.shape.heads *
      (o.shape.head_size > 0 ? o.shape.head_size : o.shape.width / o.shape.heads);
  if (o.fused_attention.value_or(false) || !(per_key > 0)) return std::nullopt;
  // Scores of a token in all layers: FLOPs of attention by those of one key, a score for each head.
  const double scores = flops.attention / per_key * o.shape.heads;
  const double bytes = scores * kBytesPerScore * kPassesOverScores;
  const double share = bytes * o.tokens_per_second / (o.chips * chip.memory_bandwidth);
  if (share > 1) return std::nullopt;  // more than the memory can move: it is fused already
  return ProgramLever{
      "fused attention (flash attention, Pallas)", share,
      fmt::format("attention is not fused yet{}; its scores cross memory {:.0f} times per "
                  "step, at {} bytes each and full bandwidth",
                  o.fused_attention ? ", as the traces show" : "", kPassesOverScores,
                  kBytesPerScore)};
}

std::optional<ProgramLever> Offload(const ProgramOptions& o, const TokenFlops& flops, double hfu) {
  const auto recompute = RecomputeNamed(o.recompute);
  if (!recompute || *recompute == Recompute::kNone) return std::nullopt;
  const double executed = ExecutedFlops(flops, *recompute);
  const double again = (executed - flops.training()) / executed;
  // At peak these FLOPs take hfu x again of the step; at the rate of the others, all of `again`.
  return ProgramLever{
      "host offload instead of recomputation", again,
      fmt::format("recomputed FLOPs run at the rate of the others (at peak they take {}); "
                  "copies of activations to the host overlap compute",
                  HumanRatio(std::min(hfu, 1.0) * again))};
}

}  // namespace

std::vector<ProgramLever> ProgramLevers(const ProgramOptions& options, const TokenFlops& flops,
                                        double hfu) {
  std::vector<ProgramLever> levers;
  const auto add = [&](std::optional<ProgramLever> lever) {
    if (lever && lever->saves >= kLeast && lever->saves < 1) levers.push_back(std::move(*lever));
  };
  add(Offload(options, flops, hfu));
  if (const Chip* chip = FindChip(options.chip)) {
    const MatrixTime time = MatrixTimeOf(options, flops, hfu);
    for (const std::string_view dtype : {"fp8", "int8"}) add(Narrower(options, *chip, dtype, time));
    if (options.shape.heads > 0) add(FusedAttention(options, flops, *chip));
  }
  std::ranges::stable_sort(levers, std::greater<>(), &ProgramLever::saves);
  return levers;
}

Table LeversTable(const std::vector<ProgramLever>& levers, double mfu) {
  Table table{
      .key = "levers",
      .title = "Program levers",
      .columns = {Words(KeyColumn("lever", "lever")),
                  RatioColumn("saves", "saves up to, % of step"), ValueColumn("speedup", "speedup"),
                  RatioColumn("mfu", "MFU or EMFU after"),
                  Words(ValueColumn("assumption", "assumption"))}};
  for (const ProgramLever& lever : levers) {
    const double speedup = 1 / (1 - lever.saves);
    table.rows.push_back({lever.name, lever.saves, fmt::format("{:.2f}×", speedup), mfu * speedup,
                          lever.assumption});
  }
  return table;
}

}  // namespace stepscope::goodput
