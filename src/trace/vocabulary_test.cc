// Tests the classification of categories and kernels. For a name that is misclassified, add a line
// here and one in vocabulary.cc.
#include "trace/vocabulary.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "trace/communication_names.h"

namespace stepscope::vocabulary_test {
namespace {

struct CategoryCase {
  std::string_view category;
  Kind kind;
};

constexpr auto kCategoryCases = std::to_array<CategoryCase>({
    // PyTorch of today, on CUDA and ROCm.
    {"kernel", Kind::kCompute},
    {"gpu_memcpy", Kind::kMemcpy},
    {"gpu_memset", Kind::kMemset},
    {"cuda_runtime", Kind::kRuntime},
    {"cuda_driver", Kind::kRuntime},
    {"cpu_op", Kind::kOperator},
    {"user_annotation", Kind::kAnnotation},
    {"gpu_user_annotation", Kind::kGpuAnnotation},
    {"python_function", Kind::kPython},
    {"cuda_sync", Kind::kSync},
    {"overhead", Kind::kOverhead},
    {"cuda_profiler_range", Kind::kCounterRange},
    {"cpu_instant_event", Kind::kInstant},
    {"ac2g", Kind::kFlow},
    {"fwdbwd", Kind::kFlow},
    {"Trace", Kind::kProfilerWindow},
    // 2021.
    {"Kernel", Kind::kCompute},
    {"Memcpy", Kind::kMemcpy},
    {"Memset", Kind::kMemset},
    {"Runtime", Kind::kRuntime},
    {"Operator", Kind::kOperator},
    {"async", Kind::kFlow},
    {"async_cpu_to_gpu", Kind::kFlow},
    {"forward_backward", Kind::kFlow},
    // Other accelerators.
    {"mtia_ccp_events", Kind::kCompute},
    {"mtia_runtime", Kind::kRuntime},
    {"xpu_runtime", Kind::kRuntime},
    {"privateuse1_runtime", Kind::kRuntime},
    // Spellings nobody has listed.
    {"KERNEL", Kind::kCompute},
    {"kernels", Kind::kUnknown},
    {"", Kind::kUnknown},
    {"quantum", Kind::kUnknown},
});

TEST(Vocabulary, Categories) {
  for (const auto& [category, kind] : kCategoryCases) {
    EXPECT_EQ(KindName(MeaningOfCategory(category).kind), KindName(kind)) << category;
  }
}

TEST(Vocabulary, OnlyFourKindsOccupyAnAccelerator) {
  for (size_t k = 0; k < static_cast<size_t>(Kind::kCount); ++k) {
    const Kind kind = static_cast<Kind>(k);
    const bool work = kind == Kind::kCompute || kind == Kind::kCommunication ||
                      kind == Kind::kMemcpy || kind == Kind::kMemset;
    EXPECT_EQ(IsDeviceActivity(kind), work) << KindName(kind);
    EXPECT_EQ(kDeviceActivity.Has(kind), work) << KindName(kind);
    EXPECT_TRUE(KindSet::All().Has(kind));
  }
}

constexpr auto kCommunicationKernels = std::to_array<std::string_view>({
    // NCCL through the years.
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",
    "ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclKernel_ReduceScatter_RING_LL128_Sum_half(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclKernel_AllGather_TREE_LL_Sum_int8_t(ncclWorkElem)",
    "ncclAllReduceRingLLKernel_sum_f32(ncclColl)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)",
    "ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>) [clone .kd]",
    "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",
    "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
    "_Z23ncclDevKernel_Generic_424ncclDevKernelArgsStorageILm4096EE",
    // NCCL's kernels over symmetric memory, 2.27 and later.
    "ncclSymDevKernel_AllReduce_RSxLD_AGxST_sum_bf16(ncclSymDevArgs)",
    "ncclSymkDevKernel_AllReduce_RSxLDMC_AGxSTMC_sum_bf16(ncclSymkDevWorkArgs4K)",
    "ncclSymkDevKernel_AllGather_STMC",
    // AMD, and Microsoft's algorithms in it.
    "rcclGenericKernel_1",
    "void rcclGenericKernel<4, false>(ncclDevComm*)",
    "mscclKernel_Sum_half_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
    "mscclKernel_Sum_hip_bfloat16_Simple_false(ncclDevComm*, mscclAlgo*, mscclWork*)",
    "void tvm::runtime::allreduce_simple<__half>(mscclpp::SmChannelDeviceHandle*, __half const*)",
    // PyTorch's symmetric memory.
    "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*, "
    "unsigned long, unsigned int**, unsigned long, unsigned long)",
    "void (anonymous namespace)::multimem_one_shot_all_reduce_kernel<c10::BFloat16, "
    "16>(c10::BFloat16*)",
    "void (anonymous namespace)::multimem_all_gather_kernel<16>(char*, char*, unsigned long)",
    "void (anonymous namespace)::one_shot_all_reduce_kernel<float, 16, 8, true>(float**)",
    "void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, "
    "2>(c10::BFloat16**)",
    "allreduce_two_shot_multimem_intra_node_kernel",
    // vLLM, SGLang, AITER.
    "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*, vllm::RankSignals)",
    "void vllm::cross_device_reduce_2stage<half, 4>(vllm::RankData*)",
    "void aiter::cross_device_reduce_1stage<std::bfloat16_t, 8, false>(aiter::RankData*)",
    "void aiter::reduce_scatter_cross_device_store<std::bfloat16_t, 8>(aiter::RankData*)",
    "_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataENS_11RankSignalsE",
    "void quickreduce::allreduce_prototype_twoshot<AllReduceTwoshot<__half, CodecQ4<__half, 8>, "
    "true>, __half>()",
    // TensorRT-LLM, FlashInfer.
    "void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel_oneshot_lamport<8>(Params)",
    "void tensorrt_llm::kernels::ar_fusion::allreduce_fusion_kernel_twoshot_sync<4>(Params)",
    "void tensorrt_llm::twoShotAllReduceKernel<__half, (int)8>(tensorrt_llm::AllReduceParams)",
    "void tensorrt_llm::oneShotAllReduceKernel<__half, (int)8>(tensorrt_llm::AllReduceParams)",
    "void moe_comm::moeA2ADispatchKernel<8>(moe_comm::DispatchKernelPointers)",
    "void moe_comm::moeA2ACombineKernel<__nv_bfloat16>(moe_comm::CombineKernelPointers)",
    // Transformer Engine.
    "void userbuffers_fp16_sum_inplace_gpu_rr_rs_oop<8>(int, int, int)",
    "kuserbuffers_pushsend(int*, int*, int4*)",
    // One-sided communication, and what builds on it.
    "void nvshmemi_proxy_rma_entrypoint_blocking(rma_entrypoint_args)",
    "nvshmemi_init_array_kernel",
    "void barrier_on_stream_kernel_threadgroup<(threadgroup_t)1>(int, int)",
    "rocshmem_barrier_kernel",
    "allToAllV_2d(void*, void*, long*, long*, unsigned long, int, int)",
    "void deep_ep::internode_ll::dispatch<true, 3, 10, 7168>(void*, float*, int*, long*)",
    "void deep_ep::intranode::combine<__nv_bfloat16, 8, 768, 4096>(__nv_bfloat16*, float*)",
    "void mori::moe::EpDispatchIntraNodeKernel<hip_bfloat16>(mori::moe::EpDispatchCombineArgs)",
    "EpCombineIntraNodeKernel_bf16",
    "void dlslime::intranode_alltoall_kernel<4>(char*)",
    // Ascend, Gaudi, Intel, MTIA.
    "hcom_allReduce__428_0_1",
    "hcclAllReduce",
    "oneccl_allreduce_pcie",
    "collective_subgraph_execution",
});

constexpr auto kComputeKernels = std::to_array<std::string_view>({
    // Names with words in them that mislead.
    "void at::native::batch_norm_collect_statistics_kernel<SyncBatchNorm>(float)",
    "void SyncBatchNormBackwardReduce<float, long>(float*)",
    "void addmatrix<float>(float*, float*)",
    "hipblaslt_gemm_kernel",
    "hipLaunchKernel",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, "
    "float>, unsigned int, float, 4> >(at::native::ReduceOp<float>)",
    "void cublasLt::splitKreduce_kernel<32, 16, int, float, float, float, float, true, false, "
    "false>()",
    "void reduce_1Block_kernel<float, 128, 7, cublasGemvTensorStridedBatched<float> >(float "
    "const*)",
    "void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*, int, long, long)",
    "void at::native::_scatter_gather_elementwise_kernel<128, 4, long>(int, long)",
    "void cub::DeviceReduceByKeyKernel<cub::DispatchReduceByKey<long*, long*> >()",
    "void recat_copy_async_kernel<float>(long const*, long const*, float const*, float*)",
    "void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128, 128, 256, 3>()",
    "void (anonymous namespace)::groupnorm_kernel_dispatch_up<__hip_bfloat16, 1024u>(unsigned int)",
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 64, 64>()",
    "triton_poi_fused_add_all_reduce_3",
    "triton_red_fused_all_gather_into_tensor_mean_0",
    "_all_reduce_input_cast",
    "broadcast_add_kernel",
    "void flash::flash_fwd_splitkv_combine_kernel<Flash_fwd_kernel_traits<128, 64, 128, 4> >()",
    "flash_fwd_mla_combine_kernel",
    // Everyday ones.
    "ampere_h16816gemm_128x64",
    "volta_sgemm_128x32_nn",
    "nvjet_tst_192x8_64x8_4x1_v_bz_TNT",
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64",
    "Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT128x16x128_MI16x16x1_SN_LDSB1",
    "void cutlass::Kernel<cutlass_80_simt_sgemm_128x32_8x5_nn_align1>(Params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float> >(int)",
    "void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float> >(int)",
    "void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128> >()",
    "MIOpenBatchNormFwdTrainSpatial",
    "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x64_wt32x32x8",
    "_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16ELb0ELb0ELb1ELi1EEEvPT0_PT_",
    "void moe::dev::finalize::finalizeKernelVecLoad<moe::dev::finalize::KernelParams>()",
    "void split_embedding_codegen_forward_unweighted_kernel<c10::Half, float, long, 2ul>()",
    "void fbgemm_gpu::permute_2D_data_kernel<false, int, int>(int, int, int)",
    "at::cuda::(anonymous namespace)::spin_kernel(long)",
    "fused_moe_kernel",
    "",
});

TEST(Vocabulary, CommunicationKernels) {
  static_assert(kCommunicationKernels.size() + kComputeKernels.size() > 60);
  for (const std::string_view name : kCommunicationKernels) {
    EXPECT_TRUE(IsCommunicationName(name)) << name;
    EXPECT_EQ(KindOfActivityName(name), Kind::kCommunication) << name;
  }
}

TEST(Vocabulary, ComputeKernels) {
  for (const std::string_view name : kComputeKernels)
    EXPECT_FALSE(IsCommunicationName(name)) << name;
}

TEST(Vocabulary, WhereTheCategoryLeavesItOpenTheNameDecides) {
  EXPECT_EQ(MeaningOfCategory("mtia_ccp_events").name_decides, NameDecides::kActivity);
  EXPECT_EQ(KindOfActivityName("Memcpy HtoD (Pageable -> Device)"), Kind::kMemcpy);
  EXPECT_EQ(KindOfActivityName("Memset (Device)"), Kind::kMemset);
  EXPECT_EQ(KindOfActivityName("dma_in"), Kind::kMemcpy);
  EXPECT_EQ(KindOfActivityName("CopyHostToDevice"), Kind::kMemcpy);
  EXPECT_EQ(KindOfActivityName("job_execute"), Kind::kCompute);
  EXPECT_EQ(MeaningOfCategory("kernel").name_decides, NameDecides::kCommunication);
  EXPECT_EQ(MeaningOfCategory("gpu_memcpy").name_decides, NameDecides::kNothing);
  EXPECT_EQ(MeaningOfCategory("Operator").name_decides, NameDecides::kStep);
}

TEST(Vocabulary, CallsThatPutKernelsOnADevice) {
  for (const char* name : {"cudaLaunchKernel", "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
                           "cuLaunchKernel", "cuLaunchKernelEx", "cudaGraphLaunch",
                           "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel",
                           "hipGraphLaunch", "runFunction - job_prep_and_submit_for_execution"}) {
    EXPECT_TRUE(LaunchesKernels(RoleOfCall(name))) << name;
  }
  for (const char* name :
       {"cudaMemcpyAsync", "cudaMemsetAsync", "cudaDeviceSynchronize", "hipMemcpyWithStream",
        "cudaStreamIsCapturing", "cudaGraphInstantiate", "cudaEventRecord", ""}) {
    EXPECT_FALSE(LaunchesKernels(RoleOfCall(name))) << name;
  }
}

TEST(Vocabulary, CallsThatTakeMemoryOrGiveItBack) {
  for (const char* name :
       {"cudaMalloc", "cudaFree", "cudaMallocAsync", "cudaFreeAsync", "cudaHostAlloc", "hipMalloc",
        "hipFree", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemCreate", "cuMemUnmap", "cudaMallocHost"})
    EXPECT_EQ(RoleOfCall(name), CallRole::kAllocate) << name;
  for (const char* name :
       {"cudaMemcpyAsync", "cudaMemGetInfo", "cuMemcpyHtoDAsync_v2", "cudaFuncGetAttributes",
        "cudaLaunchKernel", "cublasCreate", "free", "cudnnCreate"})
    EXPECT_NE(RoleOfCall(name), CallRole::kAllocate) << name;
}

TEST(Vocabulary, RangesThatLoadData) {
  for (const char* name : {"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                           "enumerate(DataPipe)#MapperIterDataPipe", "DataLoader.__next__",
                           "## data_load ##", "## load_batch ##", "get_next_batch"}) {
    EXPECT_EQ(PhaseOfName(name), Phase::kDataLoading) << name;
  }
  for (const char* name : {"aten::copy_", "## all2all_data:lengths ##", "load_state_dict", "data",
                           "DistributedDataParallel.forward", ""}) {
    EXPECT_NE(PhaseOfName(name), Phase::kDataLoading) << name;
  }
}

TEST(Vocabulary, Steps) {
  EXPECT_EQ(StepNumber("ProfilerStep#0"), 0);
  EXPECT_EQ(StepNumber("ProfilerStep#552"), 552);
  for (const char* name :
       {"ProfilerStep#", "ProfilerStep", "ProfilerStep#-1", "ProfilerStep#1a", "ProfilerStep# 1",
        "profilerstep#1", "x ProfilerStep#1", "ProfilerStep#99999999999999999999", ""}) {
    EXPECT_EQ(StepNumber(name), -1) << name;
  }
}

TEST(Vocabulary, UsesOfMemoryByAnySpelling) {
  EXPECT_EQ(MemoryUseOfName("OPTIMIZER_STATE"), MemoryUse::kOptimizerState);
  EXPECT_EQ(MemoryUseOfName("Optimizer state"), MemoryUse::kOptimizerState);
  EXPECT_EQ(MemoryUseOfName("Autograd"), MemoryUse::kAutogradDetail);
  EXPECT_EQ(MemoryUseOfName("cache"), MemoryUse::kCount);
  for (auto use = 0; use < static_cast<int>(MemoryUse::kCount); ++use) {
    const auto u = static_cast<MemoryUse>(use);
    EXPECT_EQ(MemoryUseOfName(MemoryUseName(u)), u);
  }
}

TEST(Vocabulary, OperationsOfCompiledPrograms) {
  EXPECT_EQ(KindOfHloOp("all-reduce", "fusion.3"), Kind::kCommunication);
  EXPECT_EQ(KindOfHloOp("", "all-gather-start.7"), Kind::kCommunication);
  EXPECT_EQ(KindOfHloOp("", "send.2"), Kind::kCommunication);
  EXPECT_EQ(KindOfHloOp("infeed", "infeed.1"), Kind::kMemcpy);
  EXPECT_EQ(KindOfHloOp("", "outfeed"), Kind::kMemcpy);
  EXPECT_EQ(KindOfHloOp("convolution fusion", "fusion.9"), Kind::kCompute);
  EXPECT_EQ(KindOfHloOp("", ""), Kind::kCompute);
}

TEST(Vocabulary, RangesOfFrameworksAndOfUsers) {
  for (const char* name :
       {"model/dense/MatMul:MatMul", "PjitFunction(train_step)", "ExecutorState::Process",
        "EagerExecute: AddV2", "FunctionRun", "end: dot.3", "aten::mm"})
    EXPECT_TRUE(IsFrameworkRange(name)) << name;
  for (const char* name : {"train", "my step", "load: the data", "epoch 3", "", ":", "x:"})
    EXPECT_FALSE(IsFrameworkRange(name)) << name;
}

TEST(Vocabulary, WhatHostRangesMeanForTheirStep) {
  EXPECT_EQ(HostActivityOfName("IteratorGetNextOp::DoCompute"), HostActivity::kInputWait);
  EXPECT_EQ(HostActivityOfName("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
            HostActivity::kInputWait);
  EXPECT_EQ(HostActivityOfName("XlaCompile"), HostActivity::kCompilation);
  EXPECT_EQ(HostActivityOfName("Torch-Compiled Region: 0/0"), HostActivity::kOther);
  EXPECT_EQ(HostActivityOfName("CompiledFunctionBackward"), HostActivity::kOther);
  EXPECT_EQ(HostActivityOfName("InfeedEnqueueTuple"), HostActivity::kTransfer);
  EXPECT_EQ(HostActivityOfName("ExecutorState::Process"), HostActivity::kExecutor);
  EXPECT_EQ(HostActivityOfName("EagerLocalExecute: AddV2"), HostActivity::kWrapper);
  EXPECT_EQ(HostActivityOfName("Iterator::Root::Map"), HostActivity::kOther);
  EXPECT_EQ(HostActivityOfName("aten::mm"), HostActivity::kOther);
}

TEST(Vocabulary, WaitsForCommunicationAreKnown) {
  EXPECT_TRUE(IsPythonWait("<built-in method wait of PyCapsule object at 0x7f12>"));
  EXPECT_FALSE(IsPythonWait("<built-in method acquire of _thread.lock object at 0x7f12>"));
  EXPECT_TRUE(IsOperatorWait("_c10d_functional::wait_tensor"));
  EXPECT_FALSE(IsOperatorWait("_c10d_functional::all_reduce"));
}

}  // namespace
}  // namespace stepscope::vocabulary_test
