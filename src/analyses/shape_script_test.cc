// Tests that scripts hold what a call had, and nothing of a stranger's text.
#include "analyses/shape_script.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::shape_script_test {
namespace {

struct Texts {
  std::string op, shapes, types, strides, values;
};

Result<std::string> Script(const Texts& texts, const RecordedCalls& recorded = {}) {
  StringTable names;
  const auto id = [&](std::string_view text) {
    return text.empty() ? kNoString : names.Intern(text);
  };
  const RangeDetail detail{.shapes = id(texts.shapes),
                           .types = id(texts.types),
                           .strides = id(texts.strides),
                           .values = id(texts.values)};
  return ScriptOf(ReadCall(names, names.Intern(texts.op), detail), recorded);
}

void ExpectLines(const Result<std::string>& script, std::initializer_list<const char*> lines) {
  ASSERT_TRUE(script.has_value()) << script.error().what;
  for (const char* line : lines)
    EXPECT_TRUE(script->contains(std::string("\n") + line + "\n")) << line << "\n" << *script;
}

void ExpectError(const Result<std::string>& script, std::string_view why) {
  ASSERT_FALSE(script.has_value()) << *script;
  EXPECT_TRUE(script.error().what.contains(why)) << script.error().what;
  EXPECT_FALSE(script.error().hint.empty());
}

const Texts kAddmm{"aten::addmm", "[[5], [2, 3], [3, 5], [], []]",
                   R"(["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "Scalar", "Scalar"])",
                   "[[1], [3, 1], [1, 3], [], []]", R"(["", "", "", "1", "0.5"])"};

TEST(ShapeScript, HasSizesTypesStridesAndValues) {
  const auto script = Script(kAddmm, {.id = "0123456789ab",
                                      .device = "NVIDIA H100",
                                      .calls = 2,
                                      .mean = 1500,
                                      .longest = 2000,
                                      .longest_rank = 3,
                                      .flops = 60,
                                      .flop_rate = 4e10});
  const char* const print =
      "print(\"in trace:  1.5 us per call, mean of 2, 0.04 TFLOP/s, on NVIDIA "
      "H100; longest 2.0 us, on rank 3\")";
  ExpectLines(script, {"# aten::addmm, id 0123456789ab.", "operator = torch.ops.aten.addmm",
                       "    tensor(torch.bfloat16, [5], [1]),",
                       "    tensor(torch.bfloat16, [3, 5], [1, 3]),", "    1,", "    0.5,",
                       "FLOP = 60", print});
}

TEST(ShapeScript, ListsTruthAndOddNumbersAreValues) {
  ExpectLines(Script({"aten::thing", "[[2], [], [], [], [], []]",
                      R"(["float", "ScalarList", "Scalar", "Scalar", "Scalar", ""])",
                      "[[1], [], [], [], [], []]", R"(["", "[1, -2]", "False", "inf", "1.", ""])"}),
              {"    [1, -2],", "    False,", "    float(\"inf\"),", "    1.0,", "    None,",
               "# Inputs 6: absent or not in the trace; defaults here."});
}

TEST(ShapeScript, WithoutStridesTensorsAreContiguous) {
  ExpectLines(Script({"aten::mm", "[[2, 3], [3, 5]]", R"(["float", "float"])", "", ""}),
              {"# Inputs 1, 2: their strides are not in the trace; contiguous here.",
               "    tensor(torch.float32, [2, 3], [3, 1]),"});
  ExpectLines(Script({"aten::relu", "[[0, 4]]", R"(["float"])", "", ""}),
              {"    tensor(torch.float32, [0, 4], [4, 1]),"});
}

TEST(ShapeScript, NumbersOfPythonAreNumbers) {
  ExpectLines(Script({"aten::mul", "[[2], []]", R"(["float", "double"])", "", R"(["", ""])"}),
              {"# Inputs 2: a number that is not in the trace; 1 here.", "    1.0,"});
}

TEST(ShapeScript, IndexesAreWithinWhatTheyIndex) {
  ExpectLines(Script({"aten::embedding", "[[100, 8], [4], [], [], []]",
                      R"(["float", "long int", "Scalar", "Scalar", "Scalar"])", "",
                      R"(["", "", "-1", "False", "False"])"}),
              {"    tensor(torch.int64, [4], [1], 100),"});
  ExpectLines(Script({"aten::index_select", "[[100, 8], [], [4]]",
                      R"(["float", "Scalar", "long int"])", "", R"(["", "-1", ""])"}),
              {"    tensor(torch.int64, [4], [1], 8),"});
  ExpectLines(Script({"aten::index_select", "[[100, 8], [], [4]]",
                      R"(["float", "Scalar", "long int"])", "", R"(["", "9", ""])"}),
              {"    tensor(torch.int64, [4], [1]),",
               "# Inputs 3: all 0 here; indexes read one place again and again."});
}

TEST(ShapeScript, OperatorsThatHostsLackHaveAnother) {
  ExpectLines(
      Script({"aten::cudnn_convolution", "[[1, 4, 5, 5], [8, 4, 3, 3], [], [], [], [], [], [], []]",
              R"(["float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar", )"
              R"("Scalar", "Scalar", "Scalar"])",
              "", R"(["", "", "[1, 1]", "[2, 2]", "[1, 1]", "1", "False", "False", "True"])"}),
      {"operator = torch.ops.aten.cudnn_convolution", "    operator = torch.ops.aten.convolution"});
  ExpectLines(
      Script({"aten::_flash_attention_forward",
              "[[1, 9, 2, 8], [1, 9, 2, 8], [1, 9, 2, 8], [], [], [], [], [], [], []]",
              R"(["float", "float", "float", "", "", "Scalar", "Scalar", "Scalar", "Scalar", )"
              R"("Scalar"])",
              "", R"(["", "", "", "", "", "9", "9", "0.", "True", "False"])"}),
      {"    operator = torch.ops.aten.scaled_dot_product_attention",
       "    inputs = [*(x.transpose(1, 2) for x in inputs[:3]), None, *inputs[7:9]]"});
}

TEST(ShapeScript, JobsOfProcessorsRunOnProcessors) {
  ExpectLines(Script(kAddmm), {R"(DEVICE = "cuda" if torch.cuda.is_available() else "cpu")"});
  ExpectLines(Script(kAddmm, {.on_host = true}), {R"(DEVICE = "cpu")"});
}

TEST(ShapeScript, WhatTheTraceLacksIsAnError) {
  ExpectError(Script({"vllm::attend", "[[2]]", R"(["float"])", "", ""}), "PyTorch's own");
  ExpectError(
      Script({"aten::cat", "[[[2], [2]], []]", R"(["TensorList", "Scalar"])", "", R"(["", "0"])"}),
      "lists");
  ExpectError(Script({"aten::index", "[[2, 3], []]", R"(["float", ""])", "", R"(["", ""])"}),
              "indexes");
  ExpectError(
      Script({"aten::conv2d", "[[1, 4, 5, 5], [8, 4, 3, 3], [], [], [], [], []]",
              R"(["float", "float", "", "GenericList", "GenericList", "GenericList", "Int"])", "",
              ""}),
      "values");
  ExpectError(Script({"aten::relu", "[[2]]", R"(["their::type"])", "", ""}), "type of input 1");
  ExpectError(Script({"aten::mm", "[[2, 3], [3, 5]]", R"(["float"])", "", ""}),
              "all of its inputs");
  ExpectError(Script(kAddmm, {.between_memories = true}), "copies between");
}

TEST(ShapeScript, SizesThatNoTensorHasAreAnError) {
  const auto relu = [](const std::string& sizes, const std::string& strides) {
    return Script({"aten::relu", "[" + sizes + "]", R"(["float"])", "[" + strides + "]", ""});
  };
  ExpectError(relu("[-1]", "[1]"), "sizes or strides");
  ExpectError(relu("[2]", "[-1]"), "sizes or strides");
  ExpectError(relu("[9000000000000000000, 9000000000000000000]", "[1, 1]"), "sizes or strides");
  ExpectError(relu("[0, 9000000000000000000, 9000000000000000000]", "[1]"), "sizes or strides");
  ExpectError(relu("[1000000, 1000]", "[1000000, 1000000]"), "larger than");
  ExpectError(relu("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "[1]"), "sizes or strides");
}

// Names and texts that would end a comment, a text in quotes or a statement.
TEST(ShapeScript, NothingOfATraceIsRun) {
  for (const char* op : {"aten::mm\nimport os", "aten::mm; import os", "aten::mm(", "aten::",
                         "aten::a.b", "aten::\xc3\xa4", "__import__('os')", "aten::1mm"}) {
    ExpectError(Script({op, "[[2]]", R"(["float"])", "", ""}), "PyTorch's own");
  }
  for (const char* value : {"__import__('os').system('x')", "1; x", "[1, x]", "[[1]]", "1\\n2",
                            "0x1z", "(1)", "\\\"", "a b"}) {
    ExpectError(Script({"aten::relu", "[[2], []]", R"(["float", "Scalar"])", "",
                        std::string(R"(["", ")") + value + R"("])"}),
                "input 2 cannot be read");
  }
  const auto script = Script(kAddmm, {.id = "a\nimport os", .device = "x\"); import os #\\\n\r\f"});
  ASSERT_TRUE(script.has_value());
  EXPECT_TRUE(script->contains("\n# aten::addmm, id aimport os.\n")) << *script;
  EXPECT_TRUE(script->contains(", on x) import os ; longest")) << *script;
  EXPECT_TRUE(script->starts_with("# Runs one call of a trace again"));
}

}  // namespace
}  // namespace stepscope::shape_script_test
