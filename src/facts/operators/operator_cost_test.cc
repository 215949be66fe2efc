// Tests the formulas with shapes as PyTorch records them.
#include "facts/operators/operator_cost.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::operator_cost_test {
namespace {

struct Case {
  std::string_view op, shapes, types, values;
  double flops;  // -1: not counted
};

constexpr std::string_view kBf16 = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";

constexpr auto kCases = std::to_array<Case>({
    // Products.
    {"aten::mm", "[[2, 3], [3, 5]]", kBf16, "", 2 * 2 * 3 * 5},
    {"aten::mm", "[[32768, 2048], [2048, 2048], [32768, 2048]]", kBf16, "",
     2.0 * 32768 * 2048 * 2048},
    {"aten::mm", "[[2, 3], [4, 5]]", kBf16, "", -1},
    {"aten::mm", "[[2, 3], []]", kBf16, "", -1},
    {"aten::mm", "", kBf16, "", -1},
    {"aten::mm", "[[2, -3], [-3, 5]]", kBf16, "", -1},
    {"aten::mm", "[[9000000000000000000, 9000000000000000000], [9000000000000000000, 5]]", kBf16,
     "", -1},
    {"aten::mm", "[[0, 3], [3, 5]]", kBf16, "", 0},
    {"aten::addmm", "[[5], [2, 3], [3, 5], [], []]", kBf16, "", 2 * 2 * 3 * 5},
    {"aten::bmm", "[[7, 2, 3], [7, 3, 5]]", kBf16, "", 7 * 2 * 2 * 3 * 5},
    {"aten::baddbmm", "[[7, 2, 5], [7, 2, 3], [7, 3, 5], [], []]", kBf16, "", 7 * 2 * 2 * 3 * 5},
    {"aten::linear", "[[4, 2, 3], [5, 3], [5]]", kBf16, "", 4 * 2 * 2 * 3 * 5},
    {"aten::matmul", "[[4, 2, 3], [3, 5]]", kBf16, "", 4 * 2 * 2 * 3 * 5},
    {"aten::matmul", "[[3], [3]]", kBf16, "", 2 * 3},
    {"aten::mv", "[[2, 3], [3]]", kBf16, "", 2 * 2 * 3},
    // Convolutions: an output of 3 x 3 by stride 2 and padding 1, filters of 4 x 3 x 3 inputs.
    {"aten::conv2d", "[[1, 4, 5, 5], [8, 4, 3, 3], [], [], [], [], []]", kBf16,
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "1"])", 2.0 * 8 * 3 * 3 * 4 * 3 * 3},
    {"aten::miopen_convolution", "[[1, 4, 5, 5], [8, 4, 3, 3], [], [], [], [], []]", kBf16,
     R"(["", "", "", "[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False"])",
     2.0 * 8 * 3 * 3 * 4 * 3 * 3},
    {"aten::conv2d", "[[1, 4, 5, 5], [8, 2, 3, 3], [], [], [], [], []]", kBf16,
     R"(["", "", "", "[1]", "[0]", "[2]", "2"])", 2.0 * 8 * 1 * 1 * 2 * 3 * 3},
    {"aten::conv2d", "[[1, 4, 5, 5], [8, 4, 3, 3], []]", kBf16, "", -1},
    {"aten::conv2d", "[[1, 4, 5, 5], [8, 4, 3, 3], []]", kBf16,
     R"(["", "", "", "[0, 0]", "[1, 1]", "[1, 1]", "1"])", -1},
    {"aten::conv2d", "[[1, 4, 2, 2], [8, 4, 3, 3], []]", kBf16,
     R"(["", "", "", "[1, 1]", "[0, 0]", "[1, 1]", "1"])", -1},
    {"aten::convolution", "[[1, 4, 5, 5], [4, 8, 3, 3], [], [], [], [], []]", kBf16,
     R"(["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "True", "[0, 0]", "1"])",
     2.0 * 4 * 5 * 5 * 8 * 3 * 3},
    {"aten::convolution_backward", "[[1, 8, 3, 3], [1, 4, 5, 5], [8, 4, 3, 3]]", kBf16,
     R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[True, True, False]"])",
     2 * 2.0 * 8 * 3 * 3 * 4 * 3 * 3},
    {"aten::convolution_backward", "[[1, 8, 3, 3], [1, 4, 5, 5], [8, 4, 3, 3]]", kBf16,
     R"(["", "", "", "[0]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1", "[False, True, True]"])",
     2.0 * 8 * 3 * 3 * 4 * 3 * 3},
    {"aten::cudnn_convolution_backward", "[[1, 4, 5, 5], [1, 8, 3, 3], [8, 4, 3, 3]]", kBf16, "",
     2 * 2.0 * 8 * 3 * 3 * 4 * 3 * 3},
    // Attention of 2 batches, 3 heads, 4 queries, 5 keys, 6 wide.
    {"aten::_scaled_dot_product_flash_attention", "[[2, 3, 4, 6], [2, 3, 5, 6], [2, 3, 5, 6]]",
     kBf16, R"(["", "", "", "0.", "True", "False"])", 4.0 * 2 * 3 * 4 * 5 * 6},
    {"aten::_flash_attention_forward", "[[2, 4, 3, 6], [2, 4, 3, 6], [2, 4, 3, 6]]", kBf16,
     R"(["", "", "", "", "", "4", "4", "0.", "True", "False"])", 2.0 * 2 * 3 * 4 * 4 * 6},
    {"aten::_scaled_dot_product_flash_attention_backward",
     "[[2, 3, 4, 6], [2, 3, 4, 6], [2, 3, 4, 6], [2, 3, 4, 6]]", kBf16, "",
     2.5 * 4 * 2 * 3 * 4 * 4 * 6},
    {"aten::_flash_attention_forward", "[[9, 3, 6], [9, 3, 6], [9, 3, 6]]", kBf16, "", -1},
    // Others.
    {"aten::add", "[[2, 3], [2, 3]]", kBf16, "", -1},
    {"", "[[2, 3], [3, 5]]", kBf16, "", -1},
});

OperatorInputs InputsOf(const Case& c) {
  return {ReadShapes(c.shapes), ReadTexts(c.types), ReadTexts(c.values)};
}

TEST(OperatorCost, OfEachFamily) {
  for (const Case& c : kCases) {
    const auto cost = CostOf(c.op, InputsOf(c), {});
    EXPECT_EQ(cost ? cost->flops : -1, c.flops) << c.op << " " << c.shapes;
    if (cost) {
      EXPECT_EQ(cost->type, NumberType::kBf16);
    }
  }
}

TEST(OperatorCost, ComplexNumbersAreNotCounted) {
  EXPECT_FALSE(CostOf("aten::mm",
                      InputsOf({"", "[[2, 3], [3, 5]]", R"(["c10::complex<float>"])", "", 0}), {}));
}

TEST(OperatorCost, LeastBytesAreInputsAndOutputsOnce) {
  const auto mm = CostOf("aten::mm", InputsOf({"", "[[2, 3], [3, 5]]", kBf16, "", 0}), {});
  EXPECT_EQ(mm->bytes, 2 * (2 * 3 + 3 * 5 + 2 * 5));
  const auto fp32 =
      CostOf("aten::mm", InputsOf({"", "[[2, 3], [3, 5]]", R"(["float", "float"])", "", 0}), {});
  EXPECT_EQ(fp32->bytes, 4 * (2 * 3 + 3 * 5 + 2 * 5));
}

// Of what a backward computes only the gradients are of the model, not the scores again.
TEST(OperatorCost, AttentionBackwardComputesScoresAgain) {
  const auto cost = CostOf(
      "aten::_flash_attention_backward",
      InputsOf({"", "[[2, 4, 3, 6], [2, 4, 3, 6], [2, 4, 3, 6], [2, 4, 3, 6]]", kBf16, "", 0}), {});
  EXPECT_EQ(cost->flops, cost->model_flops * 1.25);
}

TEST(OperatorCost, OutputsAreLearnedFromTheBackward) {
  const OperatorInputs backward =
      InputsOf({"", "[[1, 8, 3, 3], [1, 4, 5, 5], [8, 4, 3, 3]]", kBf16, "", 0});
  const OperatorInputs forward = InputsOf({"", "[[1, 4, 5, 5], [8, 4, 3, 3], []]", kBf16, "", 0});
  ConvolutionOutputs outputs;
  outputs.Learn("aten::convolution_backward", backward);
  EXPECT_EQ(CostOf("aten::conv2d", forward, outputs)->flops, 2.0 * 8 * 3 * 3 * 4 * 3 * 3);
  // Another stride of the same shapes: then neither is sure.
  outputs.Learn("aten::convolution_backward",
                InputsOf({"", "[[1, 8, 5, 5], [1, 4, 5, 5], [8, 4, 3, 3]]", kBf16, "", 0}));
  EXPECT_FALSE(CostOf("aten::conv2d", forward, outputs));
}

TEST(InputLists, ReadWhatTracesWrite) {
  EXPECT_EQ(ReadShapes("[[8, 16], [16, 4], []]"), (std::vector<Dimensions>{{8, 16}, {16, 4}, {}}));
  EXPECT_EQ(ReadShapes("[[[1, 2], [3]], [4]]"), (std::vector<Dimensions>{{}, {4}}));
  EXPECT_EQ(ReadTexts(R"(["float", "", "[1, 1]", "a,b"])"),
            (std::vector<std::string>{"float", "", "[1, 1]", "a,b"}));
  for (const char* odd : {"", "[", "]", "[[", "]]", "[,]", "8", "[\"", "[\"\\", "[[8, 16]", "[x]",
                          "[99999999999999999999]"}) {
    for (const Dimensions& shape : ReadShapes(odd)) EXPECT_TRUE(shape.empty()) << odd;
    ReadTexts(odd);
  }
  EXPECT_EQ(ReadNumbers("[3, -1]"), (Dimensions{3, -1}));
  EXPECT_TRUE(ReadNumbers("[1.5]").empty());
}

}  // namespace
}  // namespace stepscope::operator_cost_test
