// Tests how kernel names are shortened.
#include "report/kernel_name.h"

#include <gtest/gtest.h>

namespace stepscope::kernel_name_test {
namespace {

TEST(KernelName, DropsReturnTypeParametersAndFamiliarNamespaces) {
  const char* reduce =
      "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, "
      "at::native::func_wrapper_t<float> > >"
      "(at::native::ReduceOp<float>)";
  EXPECT_EQ(PlainName(reduce), "reduce_kernel<512, 1, ReduceOp<float, func_wrapper_t<float> > >");
  EXPECT_EQ(ShortName(reduce), "reduce_kernel");
}

TEST(KernelName, KeepsNamespacesThatSayWhoseKernelItIs) {
  EXPECT_EQ(PlainName("void deep_ep::intranode::dispatch<4>(int4*, float*)"),
            "deep_ep::intranode::dispatch<4>");
  EXPECT_EQ(ShortName("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<T>(T)"),
            "multi_tensor_apply_kernel");
}

TEST(KernelName, LeavesOtherNamesAlone) {
  for (const char* name :
       {"Memcpy DtoH (Device -> Pinned)", "Memset (Device)", "volta_sgemm_128x32_nt",
        "autograd::engine::evaluate_function: SumBackward1", "triton_poi_fused_add_0", "", "(", ")",
        "<>", "a b c"}) {
    EXPECT_EQ(PlainName(name), name);
    EXPECT_EQ(ShortName(name), name);
  }
}

TEST(KernelName, PlainCSignatureLosesOnlyItsParameters) {
  EXPECT_EQ(PlainName("ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)"),
            "ncclKernel_AllReduce_RING_LL_Sum_float");
}

TEST(KernelName, ShortensEachOfSeveral) {
  EXPECT_EQ(ShownName("void at::native::a<1>(int) | void c10::b(char*) | volta_sgemm"),
            "a<1> | b | volta_sgemm");
  EXPECT_EQ(ShownName("rank 3"), "rank 3");
  EXPECT_EQ(ShownName(""), "");
}

}  // namespace
}  // namespace stepscope::kernel_name_test
