// Names that jobs on processors have.
#include "trace/processor_names.h"

#include <gtest/gtest.h>

namespace stepscope::processor_names_test {
namespace {

TEST(ProcessorNames, OperatorsThatCommunicate) {
  EXPECT_EQ(ProcessorRoleOf("gloo:all_reduce"), ProcessorRole::kCollective);
  EXPECT_EQ(ProcessorRoleOf("mpi:send"), ProcessorRole::kCollective);
  EXPECT_EQ(ProcessorRoleOf("c10d::allreduce_"), ProcessorRole::kDispatch);
  EXPECT_EQ(ProcessorRoleOf("_c10d_functional::all_reduce"), ProcessorRole::kFunctional);
  EXPECT_EQ(ProcessorRoleOf("aten::mm"), ProcessorRole::kOther);
}

TEST(ProcessorNames, WhereOperatorsRun) {
  EXPECT_TRUE(IsOfAccelerator("aten::cudnn_convolution"));
  EXPECT_TRUE(IsOfAccelerator("nccl:all_reduce"));
  EXPECT_TRUE(IsOfProcessor("aten::mkldnn_convolution"));
  EXPECT_TRUE(IsOfProcessor("gloo:all_reduce"));
  EXPECT_FALSE(IsOfAccelerator("aten::mm"));
  EXPECT_FALSE(IsOfProcessor("aten::mm"));
}

TEST(ProcessorNames, ThreadsOfCompiledPrograms) {
  EXPECT_TRUE(IsXlaThread("thread 7 (tf_XLAEigen)"));
  EXPECT_FALSE(IsXlaThread("python3"));
  EXPECT_TRUE(IsXlaWait("ThunkExecutor::Execute (wait for completion)"));
  EXPECT_TRUE(IsXlaWait("np.asarray(jax.Array)"));
  EXPECT_FALSE(IsXlaWait("ThunkExecutor::Execute"));
}

TEST(ProcessorNames, CollectivesThatAreNamedAfterPrimitives) {
  EXPECT_EQ(CollectiveOfCompiled("psum.5"), "all-reduce");
  EXPECT_EQ(CollectiveOfCompiled("all_gather"), "all-gather");
  EXPECT_EQ(CollectiveOfCompiled("ppermute.1"), "collective-permute");
  EXPECT_EQ(CollectiveOfCompiled("psum_add_fusion"), "");
  EXPECT_EQ(CollectiveOfCompiled("dot.3"), "");
}

TEST(ProcessorNames, TellsWhatFewModelsNeedForLong) {
  for (const char* name : {"aten::sort", "aten::_unique2", "aten::cdist", "aten::linalg_svd",
                           "aten::matrix_exp", "aten::topk"})
    EXPECT_TRUE(IsSeldomNeeded(name)) << name;
  for (const char* name : {"aten::mm", "aten::convolution", "aten::_softmax", "aten::matmul",
                           "sort", "aten::", "aten::sortable", "mine::sort"})
    EXPECT_FALSE(IsSeldomNeeded(name)) << name;
}

}  // namespace
}  // namespace stepscope::processor_names_test
