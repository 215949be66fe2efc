// Tests which names of kernels are communication, by their structure. Names of known libraries are
// in vocabulary_test.cc.
#include "trace/communication_names.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::communication_names_test {
namespace {

using Path = std::vector<std::string_view>;

TEST(CommunicationNames, PathOfAFunction) {
  EXPECT_EQ(PathOfFunction("void a::b::c<int, x::y>(float, d::e<2>*)"), (Path{"a", "b", "c"}));
  EXPECT_EQ(PathOfFunction("void a::b<1>::c<2>(int)"), (Path{"a", "b", "c"}));
  EXPECT_EQ(PathOfFunction("unsigned long c(int) [clone .kd]"), (Path{"c"}));
  EXPECT_EQ(PathOfFunction("void (anonymous namespace)::c<1>()"), (Path{"c"}));
  EXPECT_EQ(PathOfFunction("a::(anonymous namespace)::c"), (Path{"a", "c"}));
  EXPECT_EQ(PathOfFunction("_ZN5aiter3sumIiEEvT_"), (Path{"aiter", "sum"}));
  EXPECT_EQ(PathOfFunction("_ZN12_GLOBAL__N_13sumEv"), (Path{"sum"}));
  EXPECT_EQ(PathOfFunction("_Z3sumi"), (Path{"sum"}));
  EXPECT_EQ(PathOfFunction("plain_name_3"), (Path{"plain_name_3"}));
  EXPECT_EQ(PathOfFunction("all_reduce.kd [clone .kd]"), (Path{"all_reduce.kd"}));
  EXPECT_EQ(PathOfFunction("a::sum<1> (int)"), (Path{"a", "sum"}));
  for (const char* odd :
       {"", "(", "<<", "_Z", "_ZN", "_ZN9999", "_ZN99999999999999999999a", "a::", "void "})
    EXPECT_EQ(PathOfFunction(odd).size(), 1u) << odd;
}

TEST(CommunicationNames, WordsOfAnIdentifier) {
  EXPECT_EQ(WordsOf("oneShotAllReduceKernel"), " one shot all reduce kernel ");
  EXPECT_EQ(WordsOf("NCCLSend"), " nccl send ");
  EXPECT_EQ(WordsOf("all_gather_v2"), " all gather v2 ");
  EXPECT_EQ(WordsOf("__half2"), " half2 ");
  EXPECT_EQ(WordsOf(""), " ");
}

constexpr auto kCommunication = std::to_array<std::string_view>({
    // Expert parallel, under any name of the library.
    "void dpsk::ep::internode::cached_notify<false>(int, int)",
    "void dpsk::ep::internode::combine<false, 8, __nv_bfloat16, 8, 2, 16, 24>(int4*)",
    "void dpsk::ep::internode::dispatch<false, 8, true, 8>(int4*, float*)",
    "void dpsk::ep::cuda::get_dispatch_layout<256, 32, 8>(long const*)",
    "void nccl_ep::internode_ll::dispatch<true>(void*)",
    "void xen_moe::internode_ll::dispatch<true, 7168>(void*)",
    "void uccl::ep::internode_ll::combine<9>(void*)",
    "void pplx::internode::dispatch(int)",
    "void hybrid_ep::dispatch_kernel<4>(int)",
    "_ZN3abc9intranode7combineIiEEvPv",
    "internodeDispatchKernel",
    // Collectives, by a word of the function's own name.
    "void flashinfer::trtllm_alltoall::moeAllToAllKernel<8>(Params)",
    "void mylib::AllReduceKernelImpl<float>(float*)",
    "void fancy::ring_allgather<4>(char*)",
    "tree_reduce_scatter_v3",
    "void x::y::ReduceScatterRing<half>(half*)",
    "direct_all2all_f16",
    "_ZN3foo15AllGatherKernelIfEEvPT_",
    "void (anonymous namespace)::allreduce7<__half>(__half*, int)",
    "void trt::mnnvl::oneshotAllreduceFusionKernel<8>(float*)",
    "void eng::kernels::ar_fusion::moereduce_allreduce_fusion_kernel_oneshot_lamport<9>(P)",
    "void trtllm::mnnvl_allreduce::rmsnorm_lamport<4>(float*)",
    "void eng::fusedMoeCommKernel<true>(FusedMoeParams)",
    "helixAllToAllKernel",
    "void aiter::allreduce_fusion<bf16_t>(float*)",
    "void eng::quantized_all_reduce_kernel<at::native::Half>(float*)",
    "void stream_executor::gpu::(anonymous namespace)::AllReduceKernelImpl<float>(P)",
    "stream_executor::gpu::MultiGpuBarrierKernel",
    "RaggedAllToAllKernelImpl",
    "collective_permute_kernel",
    "all-reduce-start.1",
    "HcclAlltoAllV",
    "all_to_allv_kernel",
    "aiv_all_reduce_91093_bf16",
    "MoeDistributeDispatchV2",
    "MoeDistributeCombine",
    "void newchip::mcclKernelAllReduce(int)",
    "vcclDevKernel_Generic",
    "barrier_all_intra_node_atomic_cas_block",
    "void (anonymous namespace)::barrier_kernel(unsigned int**, int)",
    "put_signal_kernel",
    "persistent_all_scatter",
    "a2a_dispatch_recv_kernel",
    "low_latency_dispatch<7168>",
    "void dpsk::ep::internode_ll::clean_low_latency_buffer<1024>(long*)",
    "void abc::intranode::barrier<8>(int**)",
    "void abc::layout::get_dispatch_layout<256>(long*)",
    "void fast::one_shot_allreduce::twoshot_kernel<4>(float*)",
    "void hybrid_ep::device_sync_kernel(int*)",
    "triton_allreduce_two_shot",
    "push_pull_halos_1d_kernel",
    "ishmemi_team_sync",
});
constexpr auto kCompute = std::to_array<std::string_view>({
    "triton_poi_fused_add_all_reduce_3",
    "triton_red_fused__to_copy_all_gather_into_tensor_reduce_scatter_tensor_1",
    "loop_all_reduce_fusion_2",
    "void reduce_kernel<512, AllReduceOp>(AllGatherParams)",
    "void at::native::(anonymous namespace)::all_gather_copy_out<4>(int)",
    "all_gather_input_pack",
    "void flash::splitkv_combine_kernel<4>(int)",
    "void moe::combine_scores(int)",
    "void x::dispatch_gemm<half>(half*)",
    "scatter_reduce_kernel",
    "gather_all_rows",
    "steps_kernel",
    "triton_poi_fused_one_shot_all_reduce_3",
    "triton_per_fused_alltoallv_multimem_all_gather_1",
    "triton_tem_fused_mm_reduce_scatter_tensor_0",
    "cpp_fused_all_reduce_wait_tensor_0",
    "loop_all_gather_fusion",
    "input_all_reduce_fusion.3",
    "wrapped_reduce_scatter",
    "fusion_all_to_all_2",
    "fused_add_all_gather_3",
    "void at::native::elementwise_kernel<nvshmem::AllReduceOp>(int)",
    "void cutlass::device_kernel<mori::AllGather, deep_ep::internode::Dispatch>(P)",
    "void memori::dispatch_rows<4>(int)",
    "deepep_permute_triton_kernel",
    "_fwd_kernel_ep_scatter_1",
    "void hybrid_ep::permute_kernel<128>(int*)",
    "persistent_gemm_all_reduce",
    "void flux::ag_gemm_kernel<4>(int)",
    "reduce_shmem_kernel",
    "_ZN2at6native13reduce_kernelILi512E9AllReduceEEvT1_",
    "moe_align_block_size_kernel",
    "void vllm::moe::topkGatingSoftmax<4>(int)",
    "broadcast_kernel",
    "gatherTopK",
    "void cub::DeviceReduceKernel<cub::DispatchReduce<AllReducePolicy>>(int)",
    "all_gather_copy_in_kernel",
    "grid_barrier_attention_fwd",
    "moe_permute_dispatch_rows",
});

TEST(CommunicationNames, OfLibrariesThatNobodyListed) {
  for (const std::string_view name : kCommunication) EXPECT_TRUE(IsCommunicationName(name)) << name;
}

TEST(CommunicationNames, OfComputeAreNotMistaken) {
  for (const std::string_view name : kCompute) EXPECT_FALSE(IsCommunicationName(name)) << name;
}

TEST(CommunicationNames, RangesOfCollectiveCalls) {
  for (const char* call : {"nccl:all_reduce", "nccl:_all_gather_base", "nccl:send 0->1",
                           "nccl:coalesced", "xccl:broadcast", "ucc:alltoall", "ncclAllReduce",
                           "ncclReduceScatter", "ncclGroupEnd", "rcclSend", "hcclAllGather"})
    EXPECT_TRUE(IsCollectiveCall(call)) << call;
  for (const char* other :
       {"", "nccl", "nccl:", "nccl::all_reduce", "nccl:init", "ncclCommInitRank", "tp:all_reduce",
        "all_reduce", "allReduce", "FSDP::all_gather", "ncclAllReduce of gradients",
        "all_reduce gradients", "ProfilerStep#3"})
    EXPECT_FALSE(IsCollectiveCall(other)) << other;
}

}  // namespace
}  // namespace stepscope::communication_names_test
