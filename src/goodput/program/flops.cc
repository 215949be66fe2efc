// Implements the formulas of flops.h.
#include "goodput/program/flops.h"

#include <algorithm>

namespace stepscope::goodput {
namespace {

// K: how many keys a query attends to, on average, in a layer with that window (0: none).
double MeanKeys(const ModelShape& s, double window) {
  const double reach = window > 0 ? std::min(window, s.sequence) : s.sequence;
  if (!s.causal) return reach;
  return s.sequence > 0 ? reach - reach * reach / (2 * s.sequence) : 0;
}

// The sum of K over all layers.
double KeysOfLayers(const ModelShape& s) {
  const bool some = s.window > 0 && s.window_layers > 0;
  const double windowed = some ? std::min(s.window_layers, s.layers) : s.layers;
  return windowed * MeanKeys(s, s.window) + (s.layers - windowed) * MeanKeys(s, 0);
}

double SizeOf(const ModelShape& s) {
  return s.head_size > 0 || s.heads == 0 ? s.head_size : s.width / s.heads;
}

// Parameters of a layer's attention: at two FLOPs each its projections.
double AttentionParameters(const ModelShape& s) {
  const double size = SizeOf(s);
  if (s.kv_rank == 0) {
    const double kv = s.kv_heads > 0 ? s.kv_heads : s.heads;
    return s.width * (s.heads + 2 * kv) * size + s.heads * size * s.width;
  }
  const double queries = s.heads * (size + s.rope_size);
  return (s.query_rank > 0 ? s.query_rank * (s.width + queries) : s.width * queries) +
         s.width * (s.kv_rank + s.rope_size) + s.kv_rank * s.heads * (size + s.value_size) +
         s.heads * s.value_size * s.width;
}

// FLOPs of a token's attention to one key.
double FlopsOfKey(const ModelShape& s) {
  const double size = SizeOf(s);
  return 2 * s.heads * (s.kv_rank > 0 ? size + s.rope_size + s.value_size : 2 * size);
}

double MlpParameters(const ModelShape& s, double width) {
  return s.width * width * (s.gated_mlp ? 3 : 2);
}

double ExpertLayers(const ModelShape& s) {
  return s.experts == 0 ? 0 : (s.expert_layers > 0 ? s.expert_layers : s.layers);
}

// Parameters of a layer with experts, where `met` of those that are chosen count.
double ExpertParameters(const ModelShape& s, double met) {
  const double width = s.expert_width > 0 ? s.expert_width : s.mlp_width;
  return s.width * s.experts + (met + s.shared_experts) * MlpParameters(s, width);
}

}  // namespace

TokenFlops FlopsOfToken(const ModelShape& s) {
  const double expert_layers = ExpertLayers(s);
  return {.projections = s.layers * 2 * AttentionParameters(s),
          .attention = FlopsOfKey(s) * KeysOfLayers(s),
          .mlp = (s.layers - expert_layers) * 2 * MlpParameters(s, s.mlp_width),
          .experts = expert_layers * 2 * ExpertParameters(s, s.experts_per_token),
          .logits = 2 * s.width * s.vocabulary,
          .matmul_override = 2 * s.parameters};
}

double ParametersOf(const ModelShape& s) {
  const double expert_layers = ExpertLayers(s);
  return s.layers * AttentionParameters(s) +
         (s.layers - expert_layers) * MlpParameters(s, s.mlp_width) +
         expert_layers * ExpertParameters(s, s.experts) +
         s.width * s.vocabulary * (s.tied_embedding ? 1 : 2);
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
