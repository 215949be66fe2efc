// Checks FLOPs of published and constructed models.
#include "goodput/program/flops.h"

#include <gtest/gtest.h>

namespace stepscope::goodput::flops_test {
namespace {

// PaLM 540B, arXiv 2204.02311 appendix B: 238.3 k tokens/s on 6,144 TPU v4, MFU 46.2 %, without
// attention 45.7 %.
TEST(Flops, UtilizationOfPalm) {
  ModelShape palm{.layers = 118,
                  .width = 18432,
                  .heads = 48,
                  .head_size = 256,
                  .sequence = 2048,
                  .causal = false,
                  .parameters = 540.35e9};
  const TokenFlops flops = FlopsOfToken(palm);
  EXPECT_NEAR(Utilization(238.3e3, flops.training(), 6144, 275e12), 0.462, 0.0005);
  EXPECT_NEAR(Utilization(238.3e3, 3 * flops.matmuls(), 6144, 275e12), 0.457, 0.0005);
}

// Llama 3 8B has 7.50e9 parameters besides its embedding (8.03e9 with it): one token meets each
// once, at two FLOPs.
TEST(Flops, MatricesAddUpToTheParameters) {
  const ModelShape llama{.layers = 32,
                         .width = 4096,
                         .heads = 32,
                         .kv_heads = 8,
                         .mlp_width = 14336,
                         .vocabulary = 128256,
                         .sequence = 8192};
  const TokenFlops flops = FlopsOfToken(llama);
  EXPECT_NEAR(flops.matmuls() / 2, 7.505e9, 0.001e9);
  // 32 layers x 4 x 32 heads x 128 x 4096 keys
  EXPECT_DOUBLE_EQ(flops.attention, 32.0 * 4 * 32 * 128 * 4096);
}

// Mixtral 8x7B: 12.9e9 parameters are active for each token, embedding aside 12.75e9.
TEST(Flops, OnlyActiveExpertsCount) {
  const ModelShape mixtral{.layers = 32,
                           .width = 4096,
                           .heads = 32,
                           .kv_heads = 8,
                           .mlp_width = 14336,
                           .vocabulary = 32000,
                           .sequence = 4096,
                           .experts = 8,
                           .experts_per_token = 2};
  const TokenFlops flops = FlopsOfToken(mixtral);
  EXPECT_EQ(flops.mlp, 0);
  EXPECT_NEAR(flops.matmuls() / 2, 12.75e9, 0.01e9);
}

// DeepSeek-V3, arXiv 2412.19437: 671 G parameters, of which each token meets 37 G.
TEST(Flops, DeepSeekV3) {
  const ModelShape deepseek{.layers = 61,
                            .width = 7168,
                            .heads = 128,
                            .kv_heads = 128,
                            .head_size = 128,
                            .kv_rank = 512,
                            .query_rank = 1536,
                            .rope_size = 64,
                            .value_size = 128,
                            .mlp_width = 18432,
                            .vocabulary = 129280,
                            .sequence = 4096,
                            .experts = 256,
                            .expert_layers = 58,
                            .experts_per_token = 8,
                            .shared_experts = 1,
                            .expert_width = 2048};
  EXPECT_NEAR(ParametersOf(deepseek), 671e9, 0.5e9);
  const TokenFlops flops = FlopsOfToken(deepseek);
  // The paper counts the embedding too: 0.93 G.
  EXPECT_NEAR(flops.matmuls() / 2 + 7168.0 * 129280, 37.5e9, 0.1e9);
  // By hand, a layer: 7168 x 1536 + 1536 x 128 x 192 + 7168 x 576 + 512 x 128 x 256 + 16384 x 7168
  EXPECT_DOUBLE_EQ(flops.projections, 61 * 2.0 * 187'105'280);
  EXPECT_DOUBLE_EQ(flops.attention, 61 * 2.0 * 128 * (192 + 128) * 2048);
}

// DeepSeek-V2-Lite (arXiv 2405.04434, appendix B): 15.7 G parameters, 2.4 G active; no rank of
// queries.
TEST(Flops, DeepSeekV2Lite) {
  const ModelShape lite{.layers = 27,
                        .width = 2048,
                        .heads = 16,
                        .head_size = 128,
                        .kv_rank = 512,
                        .rope_size = 64,
                        .value_size = 128,
                        .mlp_width = 10944,
                        .vocabulary = 102400,
                        .sequence = 4096,
                        .experts = 64,
                        .expert_layers = 26,
                        .experts_per_token = 6,
                        .shared_experts = 2,
                        .expert_width = 1408};
  EXPECT_NEAR(ParametersOf(lite), 15.7e9, 0.05e9);
  // 2.4 G as published; with the embedding 2.66 G, without 2.45 G.
  EXPECT_NEAR(FlopsOfToken(lite).matmuls() / 2, 2.45e9, 0.02e9);
}

TEST(Flops, WindowLimitsKeys) {
  ModelShape shape{.layers = 1, .width = 1, .heads = 1, .head_size = 1, .sequence = 1000};
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 500);
  shape.window = 1000;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 500);
  shape.window = 100;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 95);
  shape.causal = false;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 100);
}

TEST(Flops, RecomputationIncreasesHfu) {
  const TokenFlops flops{.attention = 10, .mlp = 90};
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kNone), 300);
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kAttention), 310);
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kFull), 400);
  EXPECT_FALSE(RecomputeNamed("some"));
}

}  // namespace
}  // namespace stepscope::goodput::flops_test
