// Checks ProgramGoodput().
#include "stepscope/program_goodput.h"

#include <gtest/gtest.h>

#include "goodput/program/flops.h"
#include "tests/answer.h"
#include "tests/scratch.h"

namespace stepscope::program_goodput_test {
namespace {

using testing::ScratchFolder;

double Metric(const Result<ReportSet>& answer, std::string_view key) {
  if (!answer) throw std::runtime_error(answer.error().what);
  for (const auto& metric : answer->reports[0].metrics) {
    if (metric.key == key) return std::get<double>(metric.value);
  }
  return -1;
}

const ModelShape kLlama8b{.layers = 32,
                          .width = 4096,
                          .heads = 32,
                          .kv_heads = 8,
                          .mlp_width = 14336,
                          .vocabulary = 128256,
                          .sequence = 8192};

TEST(ProgramGoodput, ReportsMfuHfuAndEmfu) {
  ProgramOptions options{.shape = kLlama8b,
                         .tokens_per_second = 80e3,
                         .chips = 8,
                         .chip = "H100",
                         .recompute = "full"};
  const auto bf16 = ProgramGoodput(options);
  // 3 (2 x 7.505e9 + 2.147e9) FLOPs a token
  EXPECT_NEAR(Metric(bf16, "flops_per_token"), 51.47e9, 0.01e9);
  EXPECT_NEAR(Metric(bf16, "mfu"), 80e3 * 51.47e9 / (8 * 989e12), 1e-4);
  EXPECT_NEAR(Metric(bf16, "hfu") / Metric(bf16, "mfu"), 4.0 / 3, 1e-12);
  EXPECT_EQ(Metric(bf16, "emfu"), -1);

  options.dtype = "fp8";
  const auto fp8 = ProgramGoodput(options);
  EXPECT_NEAR(Metric(fp8, "emfu"), Metric(bf16, "mfu"), 1e-12);
  EXPECT_NEAR(Metric(fp8, "mfu"), Metric(bf16, "mfu") * 989 / 1979, 1e-6);
}

TEST(ProgramGoodput, UnknownPeaksAndMissingNumbersAreErrors) {
  const ProgramOptions good{.shape = kLlama8b, .tokens_per_second = 1, .chips = 1, .chip = "H100"};
  EXPECT_TRUE(ProgramGoodput(good));
  const auto fails = [&](auto change) {
    ProgramOptions options = good;
    change(options);
    return !ProgramGoodput(options);
  };
  EXPECT_TRUE(fails([](auto& o) { o.chip = "RTX 9999"; }));
  EXPECT_TRUE(fails([](auto& o) { o.chip = ""; }));
  EXPECT_TRUE(fails([](auto& o) { o.chip = "A100", o.dtype = "fp8"; }));
  EXPECT_TRUE(fails([](auto& o) { o.peak_flops = 1e15, o.dtype = "bf61"; }));
  EXPECT_TRUE(fails([](auto& o) { o.tokens_per_second = 0; }));
  EXPECT_TRUE(fails([](auto& o) { o.chips = -1; }));
  EXPECT_TRUE(fails([](auto& o) { o.recompute = "some"; }));
  EXPECT_TRUE(fails([](auto& o) { o.flops_per_chip = -1; }));
  EXPECT_TRUE(fails([](auto& o) { o.executed_flops_ratio = 0.5; }));
  EXPECT_TRUE(fails([](auto& o) { o.shape = {}; }));
  EXPECT_TRUE(fails([](auto& o) { o.shape.sequence = 0; }));
  EXPECT_TRUE(fails([](auto& o) { o.shape.layers = 1.0 / 0.0; }));
  EXPECT_FALSE(fails([](auto& o) { o.chip = "mine", o.peak_flops = 1e15; }));
}

TEST(ProgramGoodput, TakesTheFlopsThatAFrameworkPrints) {
  ProgramOptions options{.flops_per_chip = 420e12, .chip = "H100"};
  EXPECT_NEAR(Metric(ProgramGoodput(options), "mfu"), 420.0 / 989, 1e-3);
  EXPECT_EQ(Metric(ProgramGoodput(options), "hfu"), -1) << "recomputed FLOPs are unknown";
  options.executed_flops_ratio = 1.25;
  EXPECT_NEAR(Metric(ProgramGoodput(options), "hfu"), 1.25 * 420 / 989, 1e-3);
}

TEST(ProgramGoodput, FindingsWhenTooLowOrTooHigh) {
  const auto findings = [](double tokens_per_second) {
    return ProgramGoodput({.shape = kLlama8b,
                           .tokens_per_second = tokens_per_second,
                           .chips = 1,
                           .chip = "H100"})
        ->reports[0]
        .findings.size();
  };
  EXPECT_EQ(findings(2e3), 1u);
  EXPECT_EQ(findings(8e3), 0u);
  EXPECT_EQ(findings(80e3), 1u);
}

TEST(ProgramGoodput, ReadsConfigs) {
  const ScratchFolder folder;
  const auto read = [&](std::string_view text) {
    return ReadModelConfig(folder.Write("config.json", text));
  };
  const auto mixtral = read(R"({"model_type":"mixtral","hidden_size":4096,"num_hidden_layers":32,
    "num_attention_heads":32,"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,
    "max_position_embeddings":32768,"sliding_window":null,"num_local_experts":8,
    "num_experts_per_tok":2})");
  ASSERT_TRUE(mixtral);
  EXPECT_EQ(mixtral->experts_per_token, 2);
  EXPECT_EQ(mixtral->expert_layers, 32);
  EXPECT_TRUE(mixtral->gated_mlp && mixtral->causal);
  EXPECT_EQ(mixtral->window, 0);

  const auto gpt2 = read(R"({"model_type":"gpt2","n_embd":768,"n_layer":12,"n_head":12,
    "n_positions":1024,"vocab_size":50257,"n_inner":null})");
  ASSERT_TRUE(gpt2);
  EXPECT_EQ(gpt2->mlp_width, 3072);
  EXPECT_FALSE(gpt2->gated_mlp);

  const auto deepseek = read(R"({"model_type":"deepseek","hidden_size":5120,
    "num_hidden_layers":60,"num_attention_heads":128,"intermediate_size":12288,
    "moe_intermediate_size":1536,"n_routed_experts":160,"n_shared_experts":2,
    "num_experts_per_tok":6,"first_k_dense_replace":1,"moe_layer_freq":1,"vocab_size":102400,
    "max_position_embeddings":163840})");
  ASSERT_TRUE(deepseek);
  EXPECT_EQ(deepseek->expert_layers, 59);
  EXPECT_EQ(deepseek->shared_experts, 2);

  EXPECT_FALSE(
      read(R"({"hidden_size":1,"num_hidden_layers":1,"num_attention_heads":1,"kv_lora_rank":512})"))
      << "latent attention without its sizes";
  // As on Hugging Face, deepseek-ai/DeepSeek-V3, without what is of no interest here.
  const auto deepseek_v3 = read(R"({"model_type":"deepseek_v3","hidden_size":7168,
    "first_k_dense_replace":3,"intermediate_size":18432,"kv_lora_rank":512,
    "max_position_embeddings":163840,"moe_intermediate_size":2048,"moe_layer_freq":1,
    "n_routed_experts":256,"n_shared_experts":1,"num_attention_heads":128,"num_experts_per_tok":8,
    "num_hidden_layers":61,"num_key_value_heads":128,"q_lora_rank":1536,"qk_nope_head_dim":128,
    "qk_rope_head_dim":64,"v_head_dim":128,"tie_word_embeddings":false,"vocab_size":129280})");
  ASSERT_TRUE(deepseek_v3);
  EXPECT_NEAR(goodput::ParametersOf(*deepseek_v3), 671e9, 0.5e9);
  EXPECT_EQ(deepseek_v3->expert_layers, 58);
  EXPECT_EQ(read(R"({"hidden_size":8,"num_hidden_layers":1,"num_attention_heads":1,
    "q_lora_rank":null,"kv_lora_rank":2,"qk_nope_head_dim":4,"v_head_dim":4})")
                ->query_rank,
            0);

  EXPECT_FALSE(read("[]"));
  EXPECT_FALSE(read("{}"));
  EXPECT_FALSE(read(R"({"hidden_size":"wide"})"));
  EXPECT_FALSE(ReadModelConfig("/nowhere/config.json"));
}

// As many levels as fit into a file of 2 MB: neither is written out nor copied level by level.
TEST(ProgramGoodput, ReadsDeepConfigs) {
  const ScratchFolder folder;
  const std::string deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
  const auto read = [&](const std::string& text) {
    return ReadModelConfig(folder.Write("config.json", text));
  };
  const auto type = read("{\"layer_types\":[" + deep + "]}");
  ASSERT_FALSE(type);
  EXPECT_EQ(type.error().what, "cannot read the model config: unknown layer type 'array'");
  EXPECT_FALSE(read("{\"text_config\":" + deep + "}"));
  EXPECT_FALSE(read("{\"text_config\":{\"a\":" + deep + "}}"));
}

// By hand: 40% MFU in bf16 on H100, no attention FLOPs. At peak the multiplications take 40% of the
// step, of which fp8 saves half, and recomputation of everything a quarter of what is executed.
TEST(ProgramGoodput, LeversAreBounds) {
  ProgramOptions options{.shape = {.sequence = 1, .parameters = 1e9},
                         .tokens_per_second = 0.3 * 989e12 / 6e9,
                         .chips = 1,
                         .chip = "H100",
                         .recompute = "full"};
  const auto lever = [&](std::string_view name) {
    const auto answer = ProgramGoodput(options);
    for (const testing::Row& row : testing::RowsOf(*answer, "program_goodput", "levers")) {
      if (row.Text("lever") == name) return row.Real("saves");
    }
    return -1.0;
  };
  // HFU is 4/3 of 30%.
  EXPECT_NEAR(lever("fp8 training"), 0.4 * (1 - 989.0 / 1979), 1e-9);
  EXPECT_NEAR(lever("host offload instead of recomputation"), 0.25, 1e-9);
  options.matrix_share = 0.7;
  EXPECT_NEAR(lever("fp8 training"), 0.7 * (1 - 989.0 / 1979), 1e-9);
  options.dtype = "fp8";
  EXPECT_EQ(lever("fp8 training"), -1);
  options.chip = "A100";
  options.dtype = "bf16";
  EXPECT_EQ(lever("fp8 training"), -1);
  EXPECT_NEAR(lever("int8 training"), 0.7 / 2, 1e-9);
  // Attention: 2 layers of 2 heads with 50 keys each are 200 scores per token, of 24 bytes in all.
  options = {.shape = {.layers = 2, .width = 8, .heads = 2, .sequence = 100, .parameters = 1e6},
             .tokens_per_second = 1e7,
             .chips = 1,
             .chip = "H100"};
  EXPECT_NEAR(lever("fused attention (flash attention, Pallas)"), 200 * 24 * 1e7 / 3350e9, 1e-9);
  options.fused_attention = true;
  EXPECT_EQ(lever("fused attention (flash attention, Pallas)"), -1);
}

// Training FLOPs per token, by hand from the published configs: 3 x (projections + MLPs or active
// experts and routers + logits + 4 H Q x the keys of all layers).
TEST(ProgramGoodput, WindowsOfSomeLayersCount) {
  const ScratchFolder folder;
  const auto flops = [&](std::string_view text) {
    const auto shape = ReadModelConfig(folder.Write("config.json", text));
    return shape ? goodput::FlopsOfToken(*shape).training() : -1;
  };
  std::string types;
  for (int layer = 0; layer < 24; ++layer) {
    types += layer % 2 == 0 ? R"("sliding_attention",)" : R"("full_attention",)";
  }
  types.pop_back();
  // gpt-oss-20b: 12 layers with 65,536 keys, 12 with 127.94.
  EXPECT_DOUBLE_EQ(flops(R"({"model_type":"gpt_oss","hidden_size":2880,"num_hidden_layers":24,
    "num_attention_heads":64,"num_key_value_heads":8,"head_dim":64,"intermediate_size":2880,
    "num_local_experts":32,"num_experts_per_tok":4,"vocab_size":201088,"sliding_window":128,
    "max_position_embeddings":131072,"layer_types":[)" +
                         types + "]}"),
                   60'373'020'672);
  // Gemma 2 9B, whose config says nothing of its layers: every second one is full, 4,096 keys to
  // 3,072.
  EXPECT_DOUBLE_EQ(flops(R"({"model_type":"gemma2","hidden_size":3584,"num_hidden_layers":42,
    "num_attention_heads":16,"num_key_value_heads":8,"head_dim":256,"intermediate_size":14336,
    "vocab_size":256000,"sliding_window":4096,"max_position_embeddings":8192})"),
                   62'845'353'984);
  // Gemma 3 27B: every sixth layer is full; keys that its config leaves out have defaults.
  EXPECT_DOUBLE_EQ(flops(R"({"model_type":"gemma3","text_config":{"model_type":"gemma3_text",
    "hidden_size":5376,"num_hidden_layers":62,"num_attention_heads":32,"num_key_value_heads":16,
    "head_dim":128,"intermediate_size":21504,"sliding_window":1024}})"),
                   3 * 65'622'409'216.0);
  // The pattern as a key, and Qwen's, whose first layers are full.
  const std::string small = R"("hidden_size":8,"num_hidden_layers":10,"num_attention_heads":1,
    "intermediate_size":8,"vocab_size":8,"sliding_window":4,"max_position_embeddings":64)";
  const auto layers = [&](const std::string& more) {
    return ReadModelConfig(folder.Write("config.json", "{" + small + more + "}"))->window_layers;
  };
  EXPECT_EQ(layers(R"(,"sliding_window_pattern":5)"), 8);
  // No part of a layer is full: such a pattern is none, and never means more full layers than all.
  EXPECT_EQ(layers(R"(,"sliding_window_pattern":0.5)"), 0);
  EXPECT_EQ(layers(R"(,"sliding_window_pattern":1e-300)"), 0);
  EXPECT_EQ(layers(R"(,"model_type":"gemma3_text","sliding_window_pattern":0.5)"), 9);
  EXPECT_EQ(layers(R"(,"model_type":"qwen2","use_sliding_window":true,"max_window_layers":7)"), 3);
  EXPECT_EQ(layers(R"(,"model_type":"mistral")"), 0);
  const auto unknown = ReadModelConfig(
      folder.Write("c.json", "{" + small + R"(,"layer_types":["linear_attention"]})"));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what,
            "cannot read the model config: unknown layer type 'linear_attention'");
}

}  // namespace
}  // namespace stepscope::program_goodput_test
