// Tests the script language, and that the training step is valid in it.
#include "demo/script.h"

#include <gtest/gtest.h>

namespace stepscope::demo::script_test {
namespace {

TEST(Script, BuildsTrees) {
  const ParsedScript parsed = ParseScript(R"(
op aten::a | bf16[8,1024] -
 launch gelu
op aten::b
)");
  EXPECT_EQ(parsed.bad_lines, 0u);
  ASSERT_EQ(parsed.root.children.size(), 2u);
  const Node& first = parsed.root.children[0];
  EXPECT_EQ(first.name, "aten::a");
  EXPECT_EQ(first.inputs,
            R"("Input type": ["c10::BFloat16", ""], "Input Dims": [[8, 1024], []], )");
  ASSERT_EQ(first.children.size(), 1u);
  EXPECT_EQ(first.children[0].kernel, FindKernel("gelu"));
}

TEST(Script, PutsDefinitionsInPlace) {
  const ParsedScript parsed = ParseScript(R"(
def inner
 op aten::$1
def outer
 py call
  use inner $2
use outer x y
 launch add
)");
  ASSERT_EQ(parsed.root.children.size(), 1u);
  const Node& call = parsed.root.children[0];
  ASSERT_EQ(call.children.size(), 2u);
  EXPECT_EQ(call.children[0].name, "aten::y");
  EXPECT_EQ(call.children[1].act, Act::kLaunch);
}

TEST(Script, CountsWhatItCannotRead) {
  EXPECT_EQ(ParseScript("dance\n op aten::a\n").bad_lines, 2u);
  EXPECT_EQ(ParseScript("launch no_such_kernel").bad_lines, 1u);
  EXPECT_EQ(ParseScript("use nothing").bad_lines, 1u);
}

// How many operators below `node` go forward, less those that go backward.
int64_t ForwardLessBackward(const Node& node) {
  int64_t count = node.link == Link::kForward ? 1 : node.link == Link::kBackward ? -1 : 0;
  for (const Node& child : node.children) count += ForwardLessBackward(child);
  return count;
}

// The number of launches under calls that hold nothing.
size_t LostLaunches(const Node& node) {
  const bool leaf = node.act == Act::kLaunch || node.act == Act::kCall ||
                    node.act == Act::kAllocate || node.act == Act::kFree;
  size_t lost = leaf ? node.children.size() : 0;
  for (const Node& child : node.children) lost += LostLaunches(child);
  return lost;
}

TEST(Script, TrainingStepIsSound) {
  const Script& script = TrainingStep();
  EXPECT_EQ(script.bad_lines, 0u);
  EXPECT_FALSE(script.opening.children.empty());
  EXPECT_FALSE(script.all_reduce.children.empty());
  EXPECT_FALSE(script.closing.children.empty());
  EXPECT_EQ(ForwardLessBackward(script.opening) + ForwardLessBackward(script.backward), 0);
  for (const Node* part : {&script.opening, &script.backward, &script.all_reduce,
                           &script.unknown_all_reduce, &script.closing}) {
    EXPECT_EQ(LostLaunches(*part), 0u) << part->name;
  }
  EXPECT_GT(NominalCompute(script.backward, 2), NominalCompute(script.backward, 1));
}

}  // namespace
}  // namespace stepscope::demo::script_test
