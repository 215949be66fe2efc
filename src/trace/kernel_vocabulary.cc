// Lists names of NVIDIA's and AMD's libraries, of CUTLASS, and of attention kernels; each was found
// in a trace or in its library's sources. XProf's and the PyTorch profiler plugin's lists, which
// end with Ampere, are included.
#include "trace/kernel_vocabulary.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/match_any.h"

namespace stepscope {
namespace {

// Names are compared in lower case.
constexpr auto kTensorCoreParts = std::to_array<std::string_view>({
    // Volta to Ampere.
    "h884",
    "s884",
    "h1688",
    "s1688",
    "c1688",
    "16816",
    "i8816",
    "i16832",
    "hmma",
    "imma",
    "conv1x1",
    "conv2d_c1_k1",
    "dgrad_1x1_stride_2x2",
    "direct_group",
    "first_layer_wgrad_kernel",
    "xmma_gemm",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_sparse_gemm",
    "xmma_warp_specialized_implicit_gemm",
    "wmma",
    // Hopper and Blackwell: instructions, and cuBLAS.
    "gmma",
    "tcgen05",
    "umma",
    "nvjet",
    // CUTLASS, attention, quantized products.
    "tensorop_",
    "opclasstensorop",
    "flash_fwd",
    "flash_bwd",
    "flash_fprop",
    "flash_bprop",
    "marlin",
    // AMD: instructions, Composable Kernel, MIOpen.
    "mfma",
    "xdl",
    "gtcx",
});
// Libraries write an architecture into the names of kernels that use what is new in it.
constexpr auto kNewArchitectures =
    std::to_array<std::string_view>({"sm90", "sm100", "sm103", "sm120"});
constexpr auto kMatrixWords =
    std::to_array<std::string_view>({"gemm", "mma", "bmm", "fmha", "conv"});

// Matrix work of ordinary cores.
constexpr auto kPlainParts = std::to_array<std::string_view>(
    {"sgemm", "dgemm", "cgemm", "zgemm", "hgemm", "simt", "gemv", "gemmsn", "gemmk1", "scudnn",
     "dgrad_engine", "dgrad2d_alg", "wgrad_alg", "winograd", "fft", "depthwise"});
// What goes with it, and what has one of its words in its name.
constexpr auto kHelperParts = std::to_array<std::string_view>(
    {"computeoffsets", "im2col", "col2im", "splitkreduce", "elementwise", "reduce_kernel",
     "layer_norm", "batch_norm", "batchnorm", "transpose", "copy"});
// What may be matrix work.
constexpr auto kMaybeParts = std::to_array<std::string_view>(
    {"gemm",  "matmul",     "mma",       "convol",        "conv2d", "conv3d", "_conv_", "fprop",
     "dgrad", "wgrad",      "attn",      "attention",     "fmha",   "_dot",   "dot_",   "bmm",
     "_mm",   "triton_tem", "fused_moe", "linear_kernel", "lstm",   "gru"});

// What computes and is no matrix work.
constexpr auto kComputeParts = std::to_array<std::string_view>(
    {"at::native", "at_cuda_detail", "at::cuda", "cub::", "thrust::", "triton_", "cutlass", "cudnn",
     "cublas", "rocblas", "hipblas", "miopen", "softmax", "fill"});

template <size_t N>
bool IsAmong(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// AMD's Tensile writes the shape of the matrix instruction, "_MI16x16x1", where it uses one.
TensorCores OfTensile(std::string_view lower) {
  for (size_t at = lower.find("_mi"); at != lower.npos; at = lower.find("_mi", at + 1)) {
    const std::string_view rest = lower.substr(at + 3);
    if (!rest.empty() && rest[0] >= '1' && rest[0] <= '9') return TensorCores::kYes;
  }
  return TensorCores::kNo;
}

constexpr auto kEligible = std::to_array<std::string_view>({
    "_convolution",
    "_convolution_mode",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_tbc",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "convolution_backward",
    "convolution_overrideable",
    "cudnn_convolution",
    "cudnn_convolution_relu",
    "cudnn_convolution_add_relu",
    "cudnn_convolution_transpose",
    "cudnn_convolution_backward",
    "cudnn_convolution_backward_weight",
    "cudnn_convolution_backward_input",
    "cudnn_convolution_transpose_backward",
    "cudnn_convolution_transpose_backward_weight",
    "cudnn_convolution_transpose_backward_input",
    "miopen_convolution",
    "miopen_convolution_transpose",
    "miopen_convolution_relu",
    "miopen_convolution_backward",
    "miopen_convolution_backward_weight",
    "miopen_convolution_backward_input",
    "prelu",
    "addmm",
    "addmm_",
    "_addmm_activation",
    "addmv",
    "addr",
    "matmul",
    "mm",
    "mv",
    "linear",
    "addbmm",
    "baddbmm",
    "bmm",
    "chain_matmul",
    "einsum",
    "linalg_matmul",
    "linalg_multi_dot",
    "tensordot",
    "inner",
    "_int_mm",
    "_scaled_mm",
    "_grouped_mm",
    "_scaled_grouped_mm",
    "_thnn_fused_lstm_cell",
    "_thnn_fused_gru_cell",
    "lstm_cell",
    "gru_cell",
    "rnn_tanh_cell",
    "rnn_relu_cell",
    "_cudnn_rnn",
    "_cudnn_rnn_backward",
    "miopen_rnn",
    "miopen_rnn_backward",
    "_native_multi_head_attention",
});
// Of autograd's nodes, "AddmmBackward0" in PyTorch 2.
constexpr auto kEligibleNodes = std::to_array<std::string_view>(
    {"CudnnConvolution", "CudnnConvolutionTranspose", "MiopenConvolution", "Convolution", "Bmm",
     "Mm", "Addmv", "Mv", "Addmm", "Addbmm", "Baddbmm", "Linear", "CudnnRnn"});
constexpr auto kEligibleTypes = std::to_array<std::string_view>(
    {"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3D", "DepthwiseConv2dNative",
     "DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput", "XlaDot",
     "XlaDotV2", "Einsum", "MatMul", "FusedMatMul", "_FusedMatMul", "_FusedConv2D", "CudnnRNN"});

bool IsEligibleAten(std::string_view op) {
  if (IsAmong(kEligible, op)) return true;
  return op.contains("scaled_dot_product_") || op.contains("_attention_forward") ||
         op.contains("_attention_backward");
}

bool IsEligibleNode(std::string_view name) {
  const size_t at = name.find("Backward");
  const std::string_view end = name.substr(at + std::string_view("Backward").size());
  const std::string_view node = name.substr(0, at);
  return end.size() <= 1 && (IsAmong(kEligibleNodes, node) ||
                             (node.starts_with("ScaledDotProduct") && node.ends_with("Attention")));
}

bool IsEligibleFrameworkOp(const FrameworkOp& op) {
  return IsAmong(kEligibleTypes, op.type) || op.type.contains("BatchMatMul") ||
         op.type.starts_with("CudnnRNN") || op.type == "dot_general" ||
         op.type == "conv_general_dilated";
}

constexpr auto kWords8 =
    std::to_array<std::string_view>({"e4m3", "e5m2", "e2m1", "fp8", "fp4", "f8f8", "_f8_", "float8",
                                     "qgmma", "i8816", "i16832", "imma", "s8s8", "_s8_", "_i8i8"});
constexpr auto kWords16 = std::to_array<std::string_view>(
    {"bf16", "bfloat16", "half", "fp16", "float16", "_f16", "f16f16", "h884", "h1688", "h16816",
     "hgemm", "hmma", "<f16", "hscudnn", "df16b", "df16_"});
constexpr auto kWords32 =
    std::to_array<std::string_view>({"float", "double", "f32", "fp32", "tf32", "fp64", "f64",
                                     "sgemm", "dgemm", "cgemm", "zgemm", "scudnn", "s1688gemm"});

// Tensile's code for types follows the indices of both operands: "Cijk_Alik_Bljk_BBS_BH".
Precision OfTensileTypes(std::string_view name) {
  const size_t second = name.find("_B", name.find("_A") + 1);
  const size_t at = second == name.npos ? name.npos : name.find('_', second + 1);
  if (at == name.npos || at + 1 >= name.size()) return Precision::kUnknown;
  const char type = name[at + 1];
  const bool eight = at + 2 < name.size() && name[at + 2] == '8';
  if (eight || type == 'I') return Precision::k8;  // F8..., B8..., I8...
  if (type == 'B' || type == 'H') return Precision::k16;
  return type == 'S' || type == 'D' || type == 'C' || type == 'Z' ? Precision::k32
                                                                  : Precision::kUnknown;
}

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// What TensorFlow allows as the path of an operator.
bool IsOpPath(std::string_view name) {
  const auto begins = [](char c) { return IsLetter(c) || IsDigit(c) || c == '.'; };
  return !name.empty() && begins(name[0]) && std::ranges::all_of(name, [&](char c) {
    return begins(c) || c == '_' || c == '-' || c == '/';
  });
}

bool IsWord(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return IsLetter(c) || IsDigit(c) || c == '_'; });
}

}  // namespace

TensorCores TensorCoresOfKernel(std::string_view name) {
  const std::string lower = Lower(name);
  if (lower.starts_with("cijk_")) return OfTensile(lower);
  if (ContainsAny(lower, kTensorCoreParts)) return TensorCores::kYes;
  if (ContainsAny(lower, kNewArchitectures) && ContainsAny(lower, kMatrixWords))
    return TensorCores::kYes;
  // CUTLASS' attention before Volta had no other way; Composable Kernel's has only this one.
  if (lower.contains("fmha")) return lower.contains("sm50") ? TensorCores::kNo : TensorCores::kYes;
  if (ContainsAny(lower, kPlainParts) || ContainsAny(lower, kHelperParts)) return TensorCores::kNo;
  // Inductor says what it wrote: pointwise, reduction, or a template of matrix work.
  for (const std::string_view plain : {"triton_poi", "triton_red", "triton_per"}) {
    if (lower.starts_with(plain)) return TensorCores::kNo;
  }
  return ContainsAny(lower, kMaybeParts) ? TensorCores::kUnknown : TensorCores::kNo;
}

bool IsPlainMatrixKernel(std::string_view kernel) {
  const std::string lower = Lower(kernel);
  if (TensorCoresOfKernel(kernel) != TensorCores::kNo) return false;
  return lower.starts_with("cijk_") ||
         (ContainsAny(lower, kPlainParts) && !ContainsAny(lower, kHelperParts));
}

bool IsComputeName(std::string_view kernel) {
  const std::string lower = Lower(kernel);
  return ContainsAny(lower, kComputeParts) || ContainsAny(lower, kPlainParts) ||
         ContainsAny(lower, kHelperParts) || TensorCoresOfKernel(kernel) != TensorCores::kNo;
}

std::string_view TensorCoresName(TensorCores use) {
  constexpr auto kNames = std::to_array<std::string_view>({"no", "yes", "unknown"});
  return kNames[static_cast<size_t>(use)];
}

bool IsTensorCoreEligible(std::string_view op) {
  constexpr std::string_view kAten = "aten::";
  if (op.starts_with(kAten)) return IsEligibleAten(op.substr(kAten.size()));
  if (const auto parsed = ParseFrameworkOp(op)) return IsEligibleFrameworkOp(*parsed);
  return op.contains("Backward") && IsEligibleNode(op);
}

Precision PrecisionOfKernel(std::string_view name) {
  if (name.starts_with("Cijk_")) return OfTensileTypes(name);
  const std::string lower = Lower(name);
  if (ContainsAny(lower, kWords8)) return Precision::k8;
  if (ContainsAny(lower, kWords16)) return Precision::k16;
  return ContainsAny(lower, kWords32) ? Precision::k32 : Precision::kUnknown;
}

std::optional<FrameworkOp> ParseFrameworkOp(std::string_view text) {
  if (text.starts_with("Iterator::")) return FrameworkOp{text, "Dataset"};
  const size_t first = text.find(':');
  if (first == text.npos) return std::nullopt;
  const FrameworkOp op{text.substr(0, first), text.substr(first + 1)};
  const bool upper = !op.type.empty() && op.type[0] >= 'A' && op.type[0] <= 'Z';
  if ((upper || op.type.starts_with('_')) && IsWord(op.type) && IsOpPath(op.name)) return op;
  // JAX: the path holds calls, "jit(f)/jit(main)/dot_general", so it is told by its slashes.
  const size_t last = text.rfind(':');
  const FrameworkOp jax{text.substr(0, last), text.substr(last + 1)};
  const bool lower = !jax.type.empty() && jax.type[0] >= 'a' && jax.type[0] <= 'z';
  if (lower && IsWord(jax.type) && jax.name.contains('/') && !jax.name.ends_with(':')) return jax;
  return std::nullopt;
}

}  // namespace stepscope
