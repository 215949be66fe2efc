// Computes the FLOPs of a transformer's training per token, and the utilization of the chips.
//
// Forward, per layer and token, d the width, H heads of size Q, Hkv heads of keys and values, f the
// width of an MLP, T the length of a sequence (a multiply and an add are two FLOPs):
//
//   queries, keys, values   2 d (H + 2 Hkv) Q        output        2 H Q d
//   attention               4 H Q K                  MLP           2 d f m, m = 3 gated, else 2
//   router                  2 d E                    experts       top_k MLPs, and shared ones
//
// Latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1 and appendix C), c the rank of keys
// and values, c' that of queries (without one: 2 d H (Q + R)), R the part of a head for positions,
// S the size of its values; as it is trained, with keys and values of each head expanded:
//
//   queries   2 d c' + 2 c' H (Q + R)                attention     2 H (Q + R + S) K
//   keys, values   2 d (c + R) + 2 c H (Q + S)       output        2 H S d
//
// DeepSeek-V3's config gives 671 G parameters, of which 37 G are active per token, as its report
// says (arXiv 2412.19437); layers that predict further tokens are not counted.
//
// and once 2 d V for the logits; looking up an embedding costs none. K is the mean number of keys
// a query attends to: T; T / 2 if causal; W - W^2 / 2T for a causal window W < T. Where only some
// layers have a window (gpt-oss, Gemma), each layer has the K of its own. Training is three
// times forward, for gradients of inputs and of weights. Sources: PaLM (arXiv 2204.02311, appendix
// B: 6 N + 12 L H Q T, which is this without the causal mask), Megatron (arXiv 2104.04473).
//
//   MFU   tokens/s x FLOPs of the model / (chips x peak)
//   HFU   the same, including recomputed activations
//   EMFU  the same as MFU, over the bf16 peak whatever the type: it may be above 1 with fp8
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stepscope/program_goodput.h"

namespace stepscope::goodput {

// Forward FLOPs of a token, by part.
struct TokenFlops {
  double projections = 0;  // queries, keys, values, output
  double attention = 0;
  double mlp = 0;
  double experts = 0;  // and their routers
  double logits = 0;
  double matmul_override = 0;  // 2 N, if the parameters are given: replaces all matrices

  double matmuls() const {
    return matmul_override > 0 ? matmul_override : projections + mlp + experts + logits;
  }
  double forward() const { return matmuls() + attention; }
  double training() const { return 3 * forward(); }
};
TokenFlops FlopsOfToken(const ModelShape& shape);

// Parameters of all matrices and the embedding, without norms and biases, as in the model's name.
double ParametersOf(const ModelShape& shape);

// What the backward pass recomputes.
enum class Recompute : uint8_t { kNone, kAttention, kFull };
std::optional<Recompute> RecomputeNamed(std::string_view name);  // "none", "attention", "full"

// FLOPs executed for a token of training, recomputation included.
double ExecutedFlops(const TokenFlops& flops, Recompute recompute);

// REQUIRES: chips and peak above 0.
inline double Utilization(double tokens_per_s, double flops_per_token, double chips, double peak) {
  return tokens_per_s * flops_per_token / (chips * peak);
}

}  // namespace stepscope::goodput
