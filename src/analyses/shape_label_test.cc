// Tests how calls are named.
#include "analyses/shape_label.h"

#include <gtest/gtest.h>

#include <array>

namespace stepscope::shape_label_test {
namespace {

struct Case {
  std::string_view op, shapes, types, strides, values, label;
};

constexpr std::string_view kBf16 = R"(["c10::BFloat16", "c10::BFloat16"])";
constexpr std::string_view kBf16x3 = R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])";

constexpr auto kCases = std::to_array<Case>({
    {"aten::mm", "[[2, 3], [3, 5]]", kBf16, "[[3, 1], [5, 1]]", "", "mm M=2 N=5 K=3 bf16"},
    {"aten::mm", "[[2, 3], [3, 5]]", kBf16, "[[1, 2], [1, 3]]", "",
     "mm M=2 N=5 K=3 bf16, A transposed, B transposed"},
    {"aten::mm", "[[2, 3], [3, 5]]", kBf16, "[[8, 1], [5, 1]]", "",
     "mm M=2 N=5 K=3 bf16, A strides 8,1"},
    {"aten::mm", "[[2, 3], [3, 5]]", R"(["float", "c10::Half"])", "", "",
     "mm M=2 N=5 K=3 fp32/fp16"},
    {"aten::bmm", "[[7, 2, 3], [7, 3, 5]]", kBf16, "[[6, 3, 1], [15, 1, 3]]", "",
     "bmm B=7 M=2 N=5 K=3 bf16, B transposed"},
    // One row or column lies alike both ways.
    {"aten::mm", "[[1, 3], [3, 5]]", kBf16, "[[1, 1], [5, 1]]", "", "mm M=1 N=5 K=3 bf16"},
    {"aten::linear", "[[4, 2, 3], [5, 3]]", kBf16, "", "", "linear B=4 M=2 N=5 K=3 bf16"},
    {"aten::_flash_attention_forward", "[[2, 16, 4, 8], [2, 32, 4, 8], [2, 32, 4, 8]]", kBf16x3, "",
     "", "_flash_attention_forward B=2 H=4 S=16/32 D=8 bf16"},
    {"aten::conv2d", "[[2, 3, 8, 8], [4, 3, 3, 3]]", kBf16, "[[192, 1, 24, 3], [27, 1, 9, 3]]", "",
     "conv2d 2x3x8x8, filter 4x3x3x3 bf16, channels last"},
    {"aten::add", "[[2, 3], []]", R"(["float", "double"])", "", "", "add 2x3, scalar fp32/fp64"},
    {"their::op", "[]", "[]", "", "", "their::op"},
    {"aten::relu", "[[0, 9000000000000000000, 9000000000000000000]]", R"(["float"])",
     "[[1, 1, 9000000000000000000]]", "", "relu 0x9000000000000000000x9000000000000000000 fp32"},
});

TEST(ShapeLabel, NamesCallsByTheirSizes) {
  for (const Case& c : kCases) {
    StringTable names;
    const auto id = [&](std::string_view text) {
      return text.empty() ? kNoString : names.Intern(text);
    };
    const RangeDetail detail{.shapes = id(c.shapes),
                             .types = id(c.types),
                             .strides = id(c.strides),
                             .values = id(c.values)};
    EXPECT_EQ(LabelOfCall(ReadCall(names, names.Intern(c.op), detail)), c.label);
  }
}

}  // namespace
}  // namespace stepscope::shape_label_test
