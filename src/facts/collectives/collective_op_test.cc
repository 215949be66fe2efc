// Tests names of operations in traces of several years, and nccl-tests' formulas.
#include "facts/collectives/collective_op.h"

#include <gtest/gtest.h>

namespace stepscope::collective_op_test {
namespace {

using enum CollectiveOp;

TEST(CollectiveOp, IsFoundInWhatTheTraceCallsIt) {
  EXPECT_EQ(OpOfOperation("allreduce"), kAllReduce);
  EXPECT_EQ(OpOfOperation("allreduce_coalesced"), kAllReduce);
  EXPECT_EQ(OpOfOperation("_allgather_base"), kAllGather);
  EXPECT_EQ(OpOfOperation("all_gather_into_tensor"), kAllGather);
  EXPECT_EQ(OpOfOperation("_reduce_scatter_base"), kReduceScatter);
  EXPECT_EQ(OpOfOperation("all_to_allv"), kAllToAll);
  EXPECT_EQ(OpOfOperation("reduce"), kReduce);
  EXPECT_EQ(OpOfOperation("gather"), kGather);
  EXPECT_EQ(OpOfOperation("send"), kSend);
  EXPECT_EQ(OpOfOperation("recv"), kReceive);
  EXPECT_EQ(OpOfOperation("something new"), kOther);
}

TEST(CollectiveOp, IsFoundInAKernelsName) {
  EXPECT_EQ(OpOfKernel("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)"), kAllReduce);
  EXPECT_EQ(OpOfKernel("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), kReduceScatter);
  EXPECT_EQ(OpOfKernel("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)"), kExchange);
  EXPECT_EQ(OpOfKernel("ncclDevKernel_Reduce_Sum_f32_RING_LL"), kReduce);
  EXPECT_EQ(OpOfKernel("ncclDevKernel_Generic"), kOther);
  EXPECT_EQ(OpOfKernel("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>"
                       "(c10::BFloat16*, unsigned long)"),
            kAllReduce);
  EXPECT_EQ(OpOfKernel("void copy(all_gather_info*)"), kOther);
  EXPECT_EQ(OpOfKernel("void vllm::cross_device_reduce_1stage<float>(int)"), kAllReduce);
}

TEST(CollectiveOp, CountsTheWholeArray) {
  EXPECT_EQ(CollectiveBytes(kAllReduce, 100, 100, 4), 400);
  EXPECT_EQ(CollectiveBytes(kAllGather, 100, 800, 2), 1600);
  EXPECT_EQ(CollectiveBytes(kReduceScatter, 800, 100, 2), 1600);
  EXPECT_EQ(CollectiveBytes(kGather, 100, 800, 2), 1600);
  // The root alone has one of the two.
  for (const CollectiveOp op : {kBroadcast, kReduce}) {
    EXPECT_EQ(CollectiveBytes(op, 100, 0, 2), 200);
    EXPECT_EQ(CollectiveBytes(op, 0, 100, 2), 200);
  }
  EXPECT_EQ(CollectiveBytes(kAllReduce, 100, 0, 2), 200);
  EXPECT_EQ(CollectiveBytes(kAllReduce, 0, 100, 1), 0);
  EXPECT_EQ(CollectiveBytes(kBarrier, 100, 100, 4), -1);
  EXPECT_EQ(CollectiveBytes(kAllReduce, 100, 100, ElementBytes("a new type")), -1);
  EXPECT_EQ(CollectiveBytes(kAllReduce, -1, -1, 4), -1);
  EXPECT_EQ(CollectiveBytes(kAllReduce, INT64_MAX / 2, 0, 8), -1);
}

TEST(CollectiveOp, KnowsWhatRanksMustAgreeIn) {
  EXPECT_EQ(SharedElements(kAllReduce, 10, 10), 10);
  EXPECT_EQ(SharedElements(kAllGather, 3, 10), 10);
  EXPECT_EQ(SharedElements(kReduceScatter, 10, 3), 10);
  EXPECT_EQ(SharedElements(kAllToAll, 3, 4), std::nullopt);
  EXPECT_EQ(SharedElements(kGather, 3, 4), std::nullopt);
}

TEST(CollectiveOp, BusFactorsAreThoseOfNcclTests) {
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 8).value_or(0), 1.75);
  EXPECT_DOUBLE_EQ(BusFactor(kAllReduce, 2).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor(kAllGather, 8).value_or(0), 0.875);
  EXPECT_DOUBLE_EQ(BusFactor(kReduceScatter, 4).value_or(0), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(kAllToAll, 4).value_or(0), 0.75);
  EXPECT_DOUBLE_EQ(BusFactor(kBroadcast, 4).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor(kReduce, 1).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor(kSend, -1).value_or(0), 1.0);
  EXPECT_DOUBLE_EQ(BusFactor(kGather, 2).value_or(0), 0.5);
  EXPECT_FALSE(BusFactor(kAllReduce, 1).has_value());
  EXPECT_FALSE(BusFactor(kAllReduce, -1).has_value());
  EXPECT_FALSE(BusFactor(kExchange, 8).has_value());
}

}  // namespace
}  // namespace stepscope::collective_op_test
