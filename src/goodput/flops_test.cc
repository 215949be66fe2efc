// Models whose numbers were published, and hand-made ones.
#include "goodput/flops.h"

#include <gtest/gtest.h>

namespace stepscope::goodput {
namespace {

// PaLM 540B, arXiv 2204.02311 appendix B: 238.3 k tokens/s on 6,144 TPU v4, MFU 46.2 %, without
// attention 45.7 %.
TEST(Flops, PalmsUtilisation) {
  ModelShape palm{.layers = 118,
                  .width = 18432,
                  .heads = 48,
                  .head_size = 256,
                  .sequence = 2048,
                  .causal = false,
                  .parameters = 540.35e9};
  const TokenFlops flops = FlopsOfToken(palm);
  EXPECT_NEAR(Utilisation(238.3e3, flops.training(), 6144, 275e12), 0.462, 0.0005);
  EXPECT_NEAR(Utilisation(238.3e3, 3 * flops.matmuls(), 6144, 275e12), 0.457, 0.0005);
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
TEST(Flops, OnlyTheChosenExpertsCount) {
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

TEST(Flops, AWindowLimitsTheKeys) {
  ModelShape shape{.layers = 1, .width = 1, .heads = 1, .head_size = 1, .sequence = 1000};
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 500);
  shape.window = 1000;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 500);
  shape.window = 100;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 95);
  shape.causal = false;
  EXPECT_DOUBLE_EQ(FlopsOfToken(shape).attention, 4 * 100);
}

TEST(Flops, RecomputationExecutesMore) {
  const TokenFlops flops{.attention = 10, .mlp = 90};
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kNone), 300);
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kAttention), 310);
  EXPECT_EQ(ExecutedFlops(flops, Recompute::kFull), 400);
  EXPECT_FALSE(RecomputeNamed("some"));
}

}  // namespace
}  // namespace stepscope::goodput
