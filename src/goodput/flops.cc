// The formulas of flops.h.
#include "goodput/flops.h"

#include <algorithm>

namespace stepscope::goodput {
namespace {

// K: how many keys a query attends to, on average.
double MeanKeys(const ModelShape& s) {
  if (!s.causal) return s.window > 0 ? std::min(s.window, s.sequence) : s.sequence;
  const double reach = s.window > 0 ? std::min(s.window, s.sequence) : s.sequence;
  return s.sequence > 0 ? reach - reach * reach / (2 * s.sequence) : 0;
}

}  // namespace

TokenFlops FlopsOfToken(const ModelShape& s) {
  const double size = s.head_size > 0 || s.heads == 0 ? s.head_size : s.width / s.heads;
  const double kv = s.kv_heads > 0 ? s.kv_heads : s.heads;
  const double matrices = s.gated_mlp ? 3 : 2;
  const double expert_layers =
      s.experts == 0 ? 0 : (s.expert_layers > 0 ? s.expert_layers : s.layers);
  const double expert_width = s.expert_width > 0 ? s.expert_width : s.mlp_width;
  const double mlps = s.experts_per_token + s.shared_experts;
  return {.projections =
              s.layers * (2 * s.width * (s.heads + 2 * kv) * size + 2 * s.heads * size * s.width),
          .attention = s.layers * 4 * s.heads * size * MeanKeys(s),
          .mlp = (s.layers - expert_layers) * 2 * s.width * s.mlp_width * matrices,
          .experts = expert_layers *
                     (2 * s.width * s.experts + mlps * 2 * s.width * expert_width * matrices),
          .logits = 2 * s.width * s.vocabulary,
          .matmul_override = 2 * s.parameters};
}

std::optional<Recompute> RecomputeNamed(std::string_view name) {
  if (name == "none") return Recompute::kNone;
  if (name == "attention") return Recompute::kAttention;
  if (name == "full") return Recompute::kFull;
  return std::nullopt;
}

double ExecutedFlops(const TokenFlops& flops, Recompute recompute) {
  switch (recompute) {
    case Recompute::kNone:
      return flops.training();
    case Recompute::kAttention:
      return flops.training() + flops.attention;
    case Recompute::kFull:
      return flops.training() + flops.forward();
  }
  return flops.training();
}

}  // namespace stepscope::goodput
