// Computes program goodput: the share of their peak FLOP/s that the chips of a job use while it
// makes progress, as model FLOPs utilization (MFU).
//
//   auto shape = stepscope::ReadModelConfig("config.json");
//   auto answer = stepscope::ProgramGoodput({.shape = *shape, .tokens_per_second = 1.2e6,
//                                            .chips = 512, .chip = "H100"});
//   auto printed = stepscope::ProgramGoodput({.flops_per_chip = 420e12, .chip = "H100"});
//
// Formulas and their sources are in src/goodput/program/flops.h, peaks in src/hardware/chips.cc.
#pragma once

#include <optional>
#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// The shape of a transformer. 0: not present. Counts are doubles, since they are only multiplied.
struct ModelShape {
  double layers = 0, width = 0, heads = 0;
  double kv_heads = 0;   // 0: as many as heads
  double head_size = 0;  // 0: width / heads

  // Latent attention (MLA, DeepSeek): keys and values from a shared vector of `kv_rank` numbers. A
  // head's queries and keys have a part of `head_size` and a rotary part of
  // `rope_size`; its values have `value_size`.
  double kv_rank = 0;     // 0: no latent attention
  double query_rank = 0;  // 0: queries come straight from the layer
  double rope_size = 0, value_size = 0;

  double mlp_width = 0;
  bool gated_mlp = true;  // three matrices (SwiGLU and similar), else two
  double vocabulary = 0;
  bool tied_embedding = false;  // one matrix serves the embedding and the logits

  double sequence = 0;  // of packed sequences: sum of squares of their lengths / sum of lengths
  bool causal = true;
  double window = 0;         // of keys; 0: all
  double window_layers = 0;  // layers with that window; 0: all

  double experts = 0;        // of each layer that has any; 0: dense
  double expert_layers = 0;  // layers that have experts; 0: all
  double experts_per_token = 0;
  double shared_experts = 0;
  double expert_width = 0;  // 0: mlp_width

  // Active parameters per token without the embedding; overrides the sum over the matrices.
  double parameters = 0;
};

// Reads the config.json of a Hugging Face model: Llama, Mistral, Mixtral, Qwen, GPT, DeepSeek and
// similar; layers with a window of their own from `layer_types` and `sliding_window_pattern`. The
// sequence is the longest allowed; training often uses a shorter one. Fails if the file cannot be
// read, layers, width or heads are missing, or a layer is of an unknown type.
Result<ModelShape> ReadModelConfig(const std::string& path);

struct ProgramOptions {
  // The FLOP/s of the model are `flops_per_chip`, as a framework prints them; if 0, they follow
  // from the other three.
  ModelShape shape;
  double tokens_per_second = 0;  // of the whole job
  double chips = 0;
  double flops_per_chip = 0;

  std::string chip;            // "H100": its peak is known; see src/hardware/chips.cc
  std::string dtype = "bf16";  // of the matrix multiplications: bf16, fp16, fp8, int8, fp4, tf32
  double peak_flops = 0;       // peak FLOP/s of one chip; overrides that of `chip`
  std::string recompute = "none";   // of activations: none, attention or full
  double executed_flops_ratio = 0;  // executed FLOPs / FLOPs of the model; overrides `recompute`

  // From traces, for the largest gain of changes of the program.
  double matrix_share = 0;  // of step time in matrix multiplications; 0: unknown
  std::optional<bool> fused_attention;
};

// Returns one report, "program_goodput": metrics mfu, mfu_without_attention, hfu, emfu (if the type
// is not bf16), parameters, active_parameters (per token, without the embedding), flops_per_token,
// flops_per_chip (FLOP/s), peak; tables `parts`: forward FLOPs per token, and `levers`: what
// low-precision training, fused attention and host offload may save at most, each with its
// assumption. From `flops_per_chip` follow only mfu, emfu, hfu (with `executed_flops_ratio`) and
// peak. Fails if a number is missing or out of range, or the chip's peak is unknown.
Result<ReportSet> ProgramGoodput(const ProgramOptions& options);

}  // namespace stepscope
