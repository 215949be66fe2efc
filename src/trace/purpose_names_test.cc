// Tests which names show that a job trains or infers.
#include "trace/purpose_names.h"

#include <gtest/gtest.h>

namespace stepscope::purpose_names_test {
namespace {

TEST(Purpose, OfTraining) {
  for (const char* name :
       {"autograd::engine::evaluate_function: AddmmBackward0", "AddmmBackward0",
        "aten::convolution_backward", "Optimizer.step#AdamW.step", "## backward ##",
        "torch.distributed.ddp.reducer::copy_bucket_to_bucket",
        "gradient_tape/mlp/dense/MatMul/MatMul_1:MatMul", "Adam/Adam/update/ResourceApplyAdam:X"}) {
    EXPECT_EQ(PurposeOfName(Kind::kOperator, name), Purpose::kTraining) << name;
  }
  for (const char* name :
       {"void flash_bwd_dq_dk_dv_loop_kernel<>", "void at::native::cunn_SoftMaxBackward<>()",
        "void multi_tensor_apply_kernel<FusedAdamMathFunctor<float>>()"}) {
    EXPECT_EQ(PurposeOfName(Kind::kCompute, name), Purpose::kTraining) << name;
  }
}

TEST(Purpose, OfInference) {
  for (const char* name : {"execute_context_1(512)_generation_31(31)", "step[DECODE bs=32]",
                           "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32)",
                           "DDIMScheduler.step", "denoising loop", "execute_diffusion_1_256x256"}) {
    EXPECT_EQ(PurposeOfName(Kind::kAnnotation, name), Purpose::kInference) << name;
  }
  for (const char* name : {"_C_cache_ops::reshape_and_cache_flash", "vllm::unified_attention"})
    EXPECT_EQ(PurposeOfName(Kind::kOperator, name), Purpose::kInference) << name;
  for (const char* name :
       {"paged_attention_ll4mi_reduce_kernel", "BatchDecodeWithPagedKVCacheKernel<>",
        "void vllm::reshape_and_cache_flash_kernel<>"}) {
    EXPECT_EQ(PurposeOfName(Kind::kCompute, name), Purpose::kInference) << name;
  }
}

TEST(Purpose, OfOtherNamesIsUnknown) {
  for (const char* name : {"aten::mm", "aten::_flash_attention_forward",
                           "torch/optim/lr_scheduler.step", "execute", "step 5"}) {
    EXPECT_EQ(PurposeOfName(Kind::kOperator, name), Purpose::kUnknown) << name;
    EXPECT_EQ(PurposeOfName(Kind::kAnnotation, name), Purpose::kUnknown) << name;
  }
  for (const char* name : {"nvjet_hsh", "dgrad2d_alg1_1", "multi_tensor_apply_kernel<Copy>"})
    EXPECT_EQ(PurposeOfName(Kind::kCompute, name), Purpose::kUnknown) << name;
  EXPECT_EQ(PurposeOfName(Kind::kPython, "backward"), Purpose::kUnknown);
}

TEST(Compiled, ByTheNamesOfItsRegionsGraphsAndKernels) {
  for (const char* name : {"Torch-Compiled Region: 0/0", "## Call CompiledFxGraph fp5r5pk7b ##",
                           "CompiledFunctionBackward", "triton_poi_fused_add_cos_sin_0"}) {
    EXPECT_TRUE(IsCompiledName(name)) << name;
  }
  for (const char* name : {"aten::mm", "TorchDynamo Cache Lookup", "my_triton_kernel", ""}) {
    EXPECT_FALSE(IsCompiledName(name)) << name;
  }
}

}  // namespace
}  // namespace stepscope::purpose_names_test
