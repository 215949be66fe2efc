// Defines the tables of kernels and runtime calls. Durations are those of a transformer layer of
// width 2048 on 8 × 1024 tokens in bfloat16, on a large current GPU.
#include "demo/kernels.h"

#include <algorithm>
#include <array>

namespace stepscope::demo {
namespace {

constexpr std::string_view kFlashForward =
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<128, 128, 64, 4, "
    "false, false, cutlass::bfloat16_t>, false, true, false, false, true, true, false, false>"
    "(pytorch_flash::Flash_fwd_params)";
constexpr std::string_view kFlashDot =
    "void pytorch_flash::flash_bwd_dot_do_o_kernel<true, "
    "pytorch_flash::Flash_bwd_kernel_traits<128, "
    "64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params)";
constexpr std::string_view kFlashBackward =
    "void pytorch_flash::flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<pytorch_flash::"
    "Flash_bwd_kernel_traits<128, 64, 128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t>, false, "
    "true, false, false, true, true, false>(pytorch_flash::Flash_bwd_params)";
constexpr std::string_view kFlashConvert =
    "void pytorch_flash::flash_bwd_convert_dq_kernel<pytorch_flash::Flash_bwd_kernel_traits<128, "
    "64, "
    "128, 8, 2, 4, 2, false, false, cutlass::bfloat16_t> >(pytorch_flash::Flash_bwd_params, int)";
constexpr std::string_view kNorm =
    "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::BFloat16, float, "
    "false>(int, float, c10::BFloat16 const*, c10::BFloat16 const*, float*, float*, "
    "c10::BFloat16*)";
constexpr std::string_view kNormGradInput =
    "void at::native::(anonymous "
    "namespace)::layer_norm_grad_input_kernel_vectorized<c10::BFloat16, "
    "float, false>(c10::BFloat16 const*, float const*, float const*, c10::BFloat16*, int)";
constexpr std::string_view kNormGradWeight =
    "void at::native::(anonymous namespace)::GammaBetaBackwardCUDAKernelTemplate<c10::BFloat16, "
    "float, 32u, 8u, 64u, true, true, true, false>(long, long, c10::BFloat16 const*, float const*)";
constexpr std::string_view kGelu =
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluCUDAKernelImpl(at::"
    "TensorIteratorBase&, at::native::GeluType)::{lambda()#2}, std::array<char*, 2ul> >(int)";
constexpr std::string_view kGeluBackward =
    "void at::native::vectorized_elementwise_kernel<4, at::native::GeluBackwardCUDAKernelImpl(at::"
    "TensorIteratorBase&, at::native::GeluType)::{lambda()#2}, std::array<char*, 3ul> >(int)";
constexpr std::string_view kAdd =
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
    "std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>)";
constexpr std::string_view kEmbedding =
    "void at::native::(anonymous namespace)::indexSelectLargeIndex<c10::BFloat16, long, unsigned "
    "int, 2, 2, -2, true>(at::cuda::detail::TensorInfo<c10::BFloat16, unsigned int>)";
constexpr std::string_view kEmbeddingBackward =
    "void at::native::(anonymous namespace)::compute_grad_weight<c10::BFloat16, long>(long const*, "
    "c10::BFloat16 const*, long const*, long, long, long const*, long const*)";
constexpr std::string_view kSoftmax =
    "void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, float, float, "
    "at::native::(anonymous namespace)::LogSoftMaxForwardEpilogue>(float*, c10::BFloat16 const*, "
    "int)";
constexpr std::string_view kSoftmaxBackward =
    "void at::native::(anonymous namespace)::cunn_SoftMaxBackward<8, float, float, c10::BFloat16, "
    "at::native::(anonymous namespace)::LogSoftMaxBackwardEpilogue>(c10::BFloat16*, float const*)";
constexpr std::string_view kLoss =
    "void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d<float, float, "
    "long>(float*, float*, float const*, long const*, float const*, bool, long, long, long)";
constexpr std::string_view kLossBackward =
    "void at::native::(anonymous namespace)::nll_loss_backward_reduce_cuda_kernel_2d<float, long>"
    "(float*, float const*, long const*, float const*, float const*, bool, int, int, long, long)";
constexpr std::string_view kGradientNorm =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::TensorListMetadata<1>, at::native::(anonymous namespace)::LpNormFunctor<float> >";
constexpr std::string_view kAdam =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::FusedOptimizerTensorListMetadata<4>, at::native::(anonymous "
    "namespace)::FusedAdamMathFunctor<float, 4, (at::native::ADAM_MODE)1, false> >";
constexpr std::string_view kAllReduce =
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)";

constexpr std::string_view kSendReceive =
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)";
constexpr std::string_view kUnknownAllReduce =
    "void acme::fabric::pump<4>(acme::fabric::Ring, int)";

constexpr ActivityKind kCompute = ActivityKind::kCompute;
constexpr int kGemmShared = 231424;  // bytes of shared memory of a matrix product

constexpr std::array kKernels = {
    // Matrix products: forward, gradient of the input, gradient of the weight.
    Kernel{"qkv",
           "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNT",
           kCompute,
           430'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"proj",
           "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT",
           kCompute,
           145'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc1",
           "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_TNT",
           kCompute,
           570'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc2",
           "nvjet_tst_128x160_64x5_1x2_h_bz_TNT",
           kCompute,
           560'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"head",
           "nvjet_tst_256x152_64x4_2x1_v_bz_coopA_TNT",
           kCompute,
           3'500'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"qkv_input",
           "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NNT",
           kCompute,
           435'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"proj_input",
           "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NNT",
           kCompute,
           150'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc1_input",
           "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NNT",
           kCompute,
           575'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc2_input",
           "nvjet_tst_128x160_64x5_1x2_h_bz_NNT",
           kCompute,
           565'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"head_input",
           "nvjet_tst_256x152_64x4_2x1_v_bz_coopA_NNT",
           kCompute,
           3'500'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"qkv_weight",
           "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_NTT",
           kCompute,
           445'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"proj_weight",
           "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTT",
           kCompute,
           155'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc1_weight",
           "nvjet_tst_256x128_64x4_2x1_v_bz_coopA_NTT",
           kCompute,
           585'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"fc2_weight",
           "nvjet_tst_128x160_64x5_1x2_h_bz_NTT",
           kCompute,
           580'000,
           {132},
           {384},
           168,
           kGemmShared},
    Kernel{"head_weight",
           "nvjet_tst_256x152_64x4_2x1_v_bz_coopA_NTT",
           kCompute,
           3'600'000,
           {132},
           {384},
           168,
           kGemmShared},
    // Attention.
    Kernel{"flash", kFlashForward, kCompute, 210'000, {8, 8, 16}, {128}, 255, 65536},
    Kernel{"flash_dot", kFlashDot, kCompute, 25'000, {16, 8, 16}, {256}, 56, 0},
    Kernel{"flash_backward", kFlashBackward, kCompute, 480'000, {8, 8, 16}, {256}, 254, 147456},
    Kernel{"flash_convert", kFlashConvert, kCompute, 30'000, {16, 8, 16}, {256}, 64, 16384},
    // Everything else of the model.
    Kernel{"norm", kNorm, kCompute, 38'000, {8192}, {32, 4}, 40, 48},
    Kernel{"norm_input", kNormGradInput, kCompute, 55'000, {8192}, {128}, 48, 32},
    Kernel{"norm_weight", kNormGradWeight, kCompute, 35'000, {64}, {32, 8}, 56, 8448},
    Kernel{"gelu", kGelu, kCompute, 85'000, {65536}, {128}, 28, 0},
    Kernel{"gelu_backward", kGeluBackward, kCompute, 110'000, {65536}, {128}, 34, 0},
    Kernel{"add", kAdd, kCompute, 30'000, {16384}, {128}, 22, 0},
    Kernel{"embedding", kEmbedding, kCompute, 45'000, {1056}, {128}, 32, 0},
    Kernel{"embedding_backward", kEmbeddingBackward, kCompute, 180'000, {4096}, {128}, 40, 0},
    Kernel{"softmax", kSoftmax, kCompute, 620'000, {8192}, {1024}, 40, 136},
    Kernel{"softmax_backward", kSoftmaxBackward, kCompute, 780'000, {8192}, {1024}, 40, 136},
    Kernel{"loss", kLoss, kCompute, 9'000, {1}, {1024}, 24, 8192},
    Kernel{"loss_backward", kLossBackward, kCompute, 8'000, {1}, {32}, 22, 0},
    Kernel{"gradient_norm", kGradientNorm, kCompute, 60'000, {320}, {512}, 38, 128},
    Kernel{"adam", kAdam, kCompute, 450'000, {320}, {512}, 64, 0},
    // What is no compute.
    Kernel{"all_reduce", kAllReduce, ActivityKind::kCommunication, 0, {24}, {544}, 96, 82240},
    Kernel{"unknown_all_reduce",
           kUnknownAllReduce,
           ActivityKind::kCommunication,
           0,
           {24},
           {544},
           96,
           82240},
    Kernel{"send_receive", kSendReceive, ActivityKind::kCommunication, 0, {8}, {544}, 96, 82240},
    Kernel{"memcpy_in",
           "Memcpy HtoD (Pinned -> Device)",
           ActivityKind::kMemcpy,
           6'100,
           {},
           {},
           0,
           0,
           131'072},
    Kernel{"memcpy_out",
           "Memcpy DtoH (Device -> Pinned)",
           ActivityKind::kMemcpy,
           1'900,
           {},
           {},
           0,
           0,
           4},
    Kernel{"memset", "Memset (Device)", ActivityKind::kMemset, 2'400, {}, {}, 0, 0, 4'194'304},
};

constexpr std::array kCalls = {
    ApiCall{"cudaLaunchKernel", 211},
    ApiCall{"cuLaunchKernelEx", 652, true},
    ApiCall{"cudaLaunchKernelExC", 430},
    ApiCall{"cudaMemcpyAsync", 41},
    ApiCall{"cudaMemsetAsync", 51},
    ApiCall{"cudaStreamIsCapturing", 317},
    ApiCall{"cudaFuncSetAttribute", 273},
    ApiCall{"cudaFuncGetAttributes", 15},
    ApiCall{"cudaStreamGetCaptureInfo_v2", 409},
    ApiCall{"cudaEventRecord", 135},
    ApiCall{"cudaEventQuery", 138},
    ApiCall{"cudaStreamWaitEvent", 147},
    ApiCall{"cudaStreamSynchronize", 131},
    ApiCall{"cudaDeviceSynchronize", 165},
    ApiCall{"cudaStreamBeginCapture", 288},
    ApiCall{"cudaStreamEndCapture", 289},
};

}  // namespace

std::string_view ActivityKindName(ActivityKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"compute", "communication", "memcpy",
                                                      "memset"};
  return kNames[static_cast<size_t>(kind)];
}

std::span<const Kernel> AllKernels() { return kKernels; }

const Kernel* FindKernel(std::string_view key) {
  const auto at = std::ranges::find(kKernels, key, &Kernel::key);
  return at == kKernels.end() ? nullptr : &*at;
}

const ApiCall* FindCall(std::string_view name) {
  const auto at = std::ranges::find(kCalls, name, &ApiCall::name);
  return at == kCalls.end() ? nullptr : &*at;
}

const ApiCall& LaunchCallOf(const Kernel& kernel) {
  switch (kernel.kind) {
    case ActivityKind::kMemcpy:
      return kCalls[3];
    case ActivityKind::kMemset:
      return kCalls[4];
    case ActivityKind::kCommunication:
      return kCalls[2];
    case ActivityKind::kCompute:
      break;
  }
  return kCalls[kernel.name.starts_with("nvjet") ? 1 : 0];
}

}  // namespace stepscope::demo
