// Tests the classification of kernel and operator names; add a line for a name that is
// misclassified.
#include "trace/kernel_vocabulary.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::kernel_vocabulary_test {
namespace {

struct KernelCase {
  std::string_view name;
  TensorCores tensor_cores;
  Precision precision;
};
constexpr auto kYes = TensorCores::kYes, kNo = TensorCores::kNo, kMaybe = TensorCores::kUnknown;
constexpr auto k8 = Precision::k8, k16 = Precision::k16, k32 = Precision::k32,
               kAny = Precision::kUnknown;

constexpr auto kKernels = std::to_array<KernelCase>({
    // cuBLAS and cuDNN through the years.
    {"volta_sgemm_64x64_nt", kNo, k32},
    {"volta_h884gemm_64x128_ldg8_nn", kYes, k16},
    {"volta_fp16_s884gemm_fp16_128x128_ldg8_f2f_nn", kYes, k16},
    {"volta_scudnn_128x128_stridedB_splitK_small_nn_v1", kNo, k32},
    {"turing_fp16_s1688gemm_fp16_128x128_ldg8_f2f_tn", kYes, k16},
    {"ampere_sgemm_128x64_nn", kNo, k32},
    {"ampere_h16816gemm_128x64", kYes, k16},
    {"ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_tn", kYes, k16},
    {"sm80_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize64x64x64", kYes, k32},
    {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_"
     "k_off_kernel__5x_cublas",
     kYes, k16},
    {"sm90_xmma_gemm_e4m3bf16_e4m3f32_f32_tn_n_tilesize64x64x128", kYes, k8},
    {"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", kYes, kAny},
    {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128", kYes, k16},
    {"void cudnn::cnn::wgrad_alg0_engine<float, 128, 6, 7, 3, 3, 5, false, 512>(int)", kNo, k32},
    {"void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5>(int)", kNo, k32},
    // CUTLASS, attention.
    {"void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_32x32_128x2_tn_align8>("
     "P)",
     kYes, k16},
    {"void cutlass::Kernel<cutlass_80_simt_sgemm_256x128_8x4_nn_align1>(P)", kNo, k32},
    {"cutlass3x_sm100_tensorop_s256x128x16gemm_bf16_bf16_f32_void_bf16", kYes, k16},
    {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32_sm100f", kYes, k8},
    {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, "
     "false, false, cutlass::bfloat16_t> >(P)",
     kYes, k16},
    {"fmha_cutlassF_f32_aligned_64x64_rf_sm50(P)", kNo, k32},
    {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(P)", kYes, k16},
    {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", kYes,
     k8},
    // AMD.
    {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x192x64_MI16x16x1_SN_LDSB1", kYes, k16},
    {"Cijk_Ailk_Bljk_SB_MT64x64x16_SN_AMAS3", kNo, k32},
    {"Cijk_Alik_Bljk_F8BS_BH_MT128x128x128_MI16x16x1", kYes, k8},
    {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8", kYes, k16},
    {"_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47G", kYes, kAny},
    {"void paged_attention_ll4mi_QKV_mfma16_kernel<0, __hip_bfloat16, __hip_bfloat16>(P)", kYes,
     k16},
    {"FmhaBwdDQDKDV", kYes, kAny},
    // Compilers' own: only what they are for is in the name.
    {"attn_fwd", kMaybe, kAny},
    {"triton_tem_fused_mm_3", kMaybe, kAny},
    {"gemm_fusion_dot.kd", kMaybe, kAny},
    {"triton_poi_fused_addmm_gelu_view_15", kNo, kAny},
    {"triton_red_fused__unsafe_view_add_mean_mul_pow_rsqrt_1", kNo, kAny},
    // No matrix work.
    {"void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)", kNo,
     k32},
    {"void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<c10::BFloat16> >(int)", kNo,
     k16},
    {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::Half, float> >(P)", kNo,
     k16},
    {"batched_transpose_16x32_half", kNo, k16},
    {"SubTensorOpWithCastTensor1d", kNo, kAny},
    {"std::enable_if<vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
     "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>(c10::BFloat16*)",
     kNo, k16},
    {"ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)", kNo, kAny},
    {"loop_add_fusion", kNo, kAny},
    {"", kNo, kAny},
});

TEST(KernelVocabulary, Kernels) {
  for (const auto& [name, tensor_cores, precision] : kKernels) {
    EXPECT_EQ(TensorCoresName(TensorCoresOfKernel(name)), TensorCoresName(tensor_cores)) << name;
    EXPECT_EQ(static_cast<int>(PrecisionOfKernel(name)), static_cast<int>(precision)) << name;
  }
}

// What an operator of products launches beside them is no missed chance.
TEST(KernelVocabulary, PlainMatrixWork) {
  for (const char* kernel : {"volta_sgemm_64x64_nt", "Cijk_Ailk_Bljk_SB_MT64x64x16_SN_AMAS3",
                             "void cudnn::winograd_nonfused::winogradForwardOutput4x4(P)"}) {
    EXPECT_TRUE(IsPlainMatrixKernel(kernel)) << kernel;
  }
  for (const char* kernel :
       {"batched_transpose_16x32_half", "SubTensorOpWithCastTensor1d", "gemm_fusion_dot.kd",
        "void splitKreduce_kernel<32, 16, int, float>(P)", "sm90_xmma_gemm_bf16bf16", ""}) {
    EXPECT_FALSE(IsPlainMatrixKernel(kernel)) << kernel;
  }
}

TEST(KernelVocabulary, NamesThatSayThatTheyCompute) {
  for (const char* kernel :
       {"void at::native::vectorized_elementwise_kernel<4>(int)", "ampere_sgemm_128x64_tn",
        "triton_poi_fused_add_0", "void cub::DeviceReduceKernel<int>(int)", "nvjet_hsh_128x128"}) {
    EXPECT_TRUE(IsComputeName(kernel)) << kernel;
  }
  for (const char* kernel :
       {"exchange", "ring_step<4>", "void mylib::push_tokens(int4*)", "acme_broadcast", ""}) {
    EXPECT_FALSE(IsComputeName(kernel)) << kernel;
  }
}

TEST(KernelVocabulary, EligibleOperators) {
  for (const char* op :
       {"aten::mm", "aten::addmm", "aten::cudnn_convolution_backward_weight", "MmBackward",
        "MmBackward0", "CudnnConvolutionBackward", "ConvolutionBackward0",
        "aten::convolution_backward", "aten::_scaled_dot_product_flash_attention",
        "aten::_flash_attention_backward", "ScaledDotProductFlashAttentionBackward0",
        "model/dense/MatMul:MatMul", "gradients/conv/Conv2DBackpropInput:Conv2DBackpropInput",
        "a/BatchMatMulV2_1:BatchMatMulV2", "jit(f)/jit(main)/dot_general:dot_general"}) {
    EXPECT_TRUE(IsTensorCoreEligible(op)) << op;
  }
  for (const char* op :
       {"aten::add", "aten::mm_mine", "mm", "ReluBackward0", "AddBackward0", "model/relu/Relu:Relu",
        "autograd::engine::evaluate_function: MmBackward0", "Backward", ""}) {
    EXPECT_FALSE(IsTensorCoreEligible(op)) << op;
  }
}

struct OpCase {
  std::string_view text, name, type;  // name empty: no operator
};
constexpr auto kOps = std::to_array<OpCase>({
    {"model/dense/MatMul:MatMul", "model/dense/MatMul", "MatMul"},
    {"MatMul:MatMul", "MatMul", "MatMul"},
    {"a/b/_fused.1:_FusedMatMul", "a/b/_fused.1", "_FusedMatMul"},
    {"Iterator::Prefetch::Map", "Iterator::Prefetch::Map", "Dataset"},
    {"jit(f)/jit(main)/dot_general:dot_general", "jit(f)/jit(main)/dot_general", "dot_general"},
    {"aten::mm", "", ""},
    {"torch::autograd::AccumulateGrad", "", ""},
    {"autograd::engine::evaluate_function: AddmmBackward0", "", ""},
    {"nccl:all_reduce", "", ""},
    {"XlaModule:", "", ""},
    {"train step", "", ""},
    {"my range: Loss", "", ""},
    {":Type", "", ""},
    {"", "", ""},
});

TEST(KernelVocabulary, FrameworkOperators) {
  for (const auto& [text, name, type] : kOps) {
    const auto op = ParseFrameworkOp(text);
    ASSERT_EQ(op.has_value(), !name.empty()) << text;
    if (!op) continue;
    EXPECT_EQ(op->name, name) << text;
    EXPECT_EQ(op->type, type) << text;
  }
}

}  // namespace
}  // namespace stepscope::kernel_vocabulary_test
