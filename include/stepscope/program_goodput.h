// Program goodput: how much of what its chips could do at most a training job does while it makes
// progress, as model FLOPs utilisation (MFU).
//
//   auto shape = stepscope::ReadModelConfig("config.json");
//   auto answer = stepscope::ProgramGoodput({.shape = *shape, .tokens_per_second = 1.2e6,
//                                            .chips = 512, .chip = "H100"});
//
// Formulas and their sources are in src/goodput/program/flops.h, peaks in src/hardware/chips.cc.
#pragma once

#include <string>

#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// A transformer. 0: the model has no such thing. Counts are doubles, as they only multiply.
struct ModelShape {
  double layers = 0, width = 0, heads = 0;
  double kv_heads = 0;   // 0: as many as heads
  double head_size = 0;  // 0: width / heads

  // Latent attention (MLA, DeepSeek): keys and values from a shared vector of `kv_rank` numbers. A
  // head's queries and keys have a part of `head_size` and one of `rope_size` that is turned by the
  // position, its values `value_size`.
  double kv_rank = 0;     // 0: no latent attention
  double query_rank = 0;  // 0: queries come straight from the layer
  double rope_size = 0, value_size = 0;

  double mlp_width = 0;
  bool gated_mlp = true;  // SwiGLU and its kin have three matrices, others two
  double vocabulary = 0;
  bool tied_embedding = false;  // one matrix serves the embedding and the logits

  double sequence = 0;  // of packed sequences: sum of squares of their lengths / sum of lengths
  bool causal = true;
  double window = 0;  // of keys; 0: all

  double experts = 0;        // of each layer that has any; 0: dense
  double expert_layers = 0;  // layers that have experts; 0: all
  double experts_per_token = 0;
  double shared_experts = 0;
  double expert_width = 0;  // 0: mlp_width

  // If given, instead of what the matrices add up to: those that a token meets, without the
  // embedding.
  double parameters = 0;
};

// Reads the config.json of a model on Hugging Face: of Llama, Mistral, Mixtral, Qwen, GPT,
// DeepSeek and the like. The sequence is the longest one it allows; training often takes a shorter
// one. Fails when the file cannot be read, when layers, width or heads are missing.
Result<ModelShape> ReadModelConfig(const std::string& path);

struct ProgramOptions {
  ModelShape shape;
  double tokens_per_second = 0;  // of the whole job
  double chips = 0;
  std::string chip;            // "H100": its peak is known; see src/hardware/chips.cc
  std::string dtype = "bf16";  // of the matrix multiplications: bf16, fp16, fp8, int8, fp4, tf32
  double peak_flops = 0;       // of one chip per second; if given, instead of the chip's
  std::string recompute = "none";  // of activations: none, attention or full
};

// The answer holds one report, "program_goodput": metrics mfu, hfu, emfu (where the type is not
// bf16), parameters, active_parameters (that a token meets, without the embedding),
// flops_per_token, flops_per_chip (a second); table `parts`: forward FLOPs of a token. Fails when a
// number is missing or out of range, or the chip's peak is not known.
Result<ReportSet> ProgramGoodput(const ProgramOptions& options);

}  // namespace stepscope
