// Lists names of autograd, optimizers and gradient reducers, and of servers and pipelines for
// inference; each was found in a trace or in its project's sources.
#include "trace/purpose_names.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/match_any.h"

namespace stepscope {
namespace {

// Names are compared in lower case.
//
// PyTorch's reducer of gradients; TensorFlow's and JAX's gradients; TensorFlow's optimizers.
constexpr auto kTrainingParts = std::to_array<std::string_view>(
    {"ddp.reducer", "gradient_tape/", "gradients/", "transpose(jvp", "resourceapply"});
// Kernels that compute gradients without saying "backward", and fused optimizers.
constexpr auto kTrainingKernels =
    std::to_array<std::string_view>({"flash_bwd", "fmha_bwd", "attn_bwd", "flash_bprop", "norm_bwd",
                                     "normbwd", "fused_adam", "fusedadam", "fusedoptimizer"});
constexpr auto kOptimizers =
    std::to_array<std::string_view>({"adam", "sgd", "lamb", "adagrad", "rmsprop"});

// Operators and kernels of vLLM, SGLang, FlashInfer and TensorRT-LLM.
constexpr auto kCacheParts = std::to_array<std::string_view>(
    {"paged_attention", "pagedattention", "pagedkv", "paged_kv", "kvcache", "kv_cache",
     "reshape_and_cache", "and_cache_mla", "masked_multihead_attention"});
constexpr auto kServers = std::to_array<std::string_view>(
    {"vllm::", "sglang::", "sgl_kernel::", "flashinfer::", "trtllm::"});
// What users and pipelines name their ranges.
constexpr auto kPipelineParts = std::to_array<std::string_view>(
    {"scheduler.step", "schedulerstep", "denois", "ddim", "vae.decode", "vae_decode",
     "execute_diffusion", "model_inference", "modelinference"});

// "execute_context_1(512)_generation_31(31)" and "execute_32_context_0(...)_generation_32(...)" of
// vLLM, "step[DECODE bs=32]" of SGLang: batches of prompts and of tokens.
bool IsBatchOfServer(std::string_view lower) {
  if (lower.starts_with("step[")) {
    return lower.contains("decode") || lower.contains("prefill") || lower.contains("extend");
  }
  return lower.starts_with("execute_") &&
         (lower.contains("context_") || lower.contains("generation_"));
}

bool IsTrainingKernel(std::string_view lower) {
  if (lower.contains("multi_tensor_apply") && ContainsAny(lower, kOptimizers)) return true;
  return lower.contains("backward") || ContainsAny(lower, kTrainingKernels);
}

Purpose OfKernel(std::string_view lower) {
  if (IsTrainingKernel(lower) || ContainsAny(lower, kTrainingParts)) return Purpose::kTraining;
  return ContainsAny(lower, kCacheParts) ? Purpose::kInference : Purpose::kUnknown;
}

Purpose OfRange(Kind kind, std::string_view lower) {
  const Phase phase = PhaseOfName(lower);
  const bool trains = phase == Phase::kBackward || phase == Phase::kOptimizer;
  if (trains || ContainsAny(lower, kTrainingParts)) return Purpose::kTraining;
  const bool serves = ContainsAny(lower, kCacheParts) || StartsWithAny(lower, kServers);
  if (serves || IsBatchOfServer(lower)) return Purpose::kInference;
  if (kind != Kind::kAnnotation || lower.contains("lr_scheduler")) return Purpose::kUnknown;
  return ContainsAny(lower, kPipelineParts) ? Purpose::kInference : Purpose::kUnknown;
}

}  // namespace

std::string_view PurposeName(Purpose purpose) {
  constexpr auto kNames = std::to_array<std::string_view>({"unknown", "training", "inference"});
  return kNames[static_cast<size_t>(purpose)];
}

Purpose PurposeOfName(Kind kind, std::string_view name) {
  const std::string lower = Lower(name);
  if (kind == Kind::kOperator || kind == Kind::kAnnotation) return OfRange(kind, lower);
  return kind == Kind::kCompute ? OfKernel(lower) : Purpose::kUnknown;
}

bool IsCompiledName(std::string_view name) {
  constexpr auto kStarts = std::to_array<std::string_view>(
      {"Torch-Compiled Region", "## Call CompiledFxGraph", "CompiledFunction", "triton_poi_",
       "triton_red_", "triton_per_", "triton_tem_"});
  return std::ranges::any_of(kStarts, [&](std::string_view s) { return name.starts_with(s); });
}

}  // namespace stepscope
