// Tests how many times as large inputs are, where others have inputs of the same sizes by chance.
#include "facts/derived/lateness/input_sizes.h"

#include <gtest/gtest.h>

#include <vector>

namespace stepscope::input_sizes_test {
namespace {

// Of a batch of so many rows: layers of 128, 384 and 512, as autograd's engine runs them.
InputSizes Backward(StringTable& names, double rows) {
  const StringId node = names.Intern("AddmmBackward0"), mm = names.Intern("aten::mm");
  InputSizes sizes;
  for (const auto& [width, calls] : {std::pair(128.0, 0.5), {384.0, 0.25}, {512.0, 0.25}}) {
    sizes[{node, 0, rows * width}] += calls;
    sizes[{mm, 0, rows * width}] += calls;
    sizes[{mm, 1, 512 * width}] += calls;  // weights, as large as the others' activations
  }
  return sizes;
}

TEST(InputSizes, WeightsAreNoSmallerActivations) {
  StringTable names;
  const StringId engine = names.Intern("autograd::engine::evaluate_function: AddmmBackward0");
  const std::vector<InputSizes> others(2, Backward(names, 512));
  EXPECT_NEAR(SizeRatio(names, engine, Backward(names, 2048), others), 4.0, 1e-9);
  EXPECT_NEAR(SizeRatio(names, engine, Backward(names, 512), others), 1.0, 1e-9);
}

// Places that grow differently are not activations alone: what only one of them has counts.
TEST(InputSizes, OfPlacesThatGrowDifferently) {
  StringTable names;
  const StringId mm = names.Intern("aten::mm");
  const InputSizes own = {{{mm, 0, 400}, 1}, {{mm, 1, 300}, 1}, {{mm, 2, 7}, 1}};
  const std::vector<InputSizes> others = {{{{mm, 0, 100}, 1}, {{mm, 1, 200}, 1}, {{mm, 2, 7}, 1}}};
  EXPECT_NEAR(SizeRatio(names, mm, own, others), 700.0 / 300, 1e-9);
}

TEST(InputSizes, UnknownWithoutAny) {
  StringTable names;
  const std::vector<InputSizes> others(1);
  EXPECT_EQ(SizeRatio(names, names.Intern("aten::mm"), {}, others), 0);
}

}  // namespace
}  // namespace stepscope::input_sizes_test
