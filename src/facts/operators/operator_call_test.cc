// Tests which inputs are read from a trace, and which calls share an id.
#include "facts/operators/operator_call.h"

#include <gtest/gtest.h>

#include <string>

namespace stepscope::operator_call_test {
namespace {

struct Texts {
  std::string_view op, shapes, types, strides, values;
};

class OperatorCallTest : public ::testing::Test {
 protected:
  RangeDetail DetailOf(const Texts& texts) {
    const auto id = [&](std::string_view text) {
      return text.empty() ? kNoString : names_.Intern(text);
    };
    return {.shapes = id(texts.shapes),
            .types = id(texts.types),
            .strides = id(texts.strides),
            .values = id(texts.values)};
  }
  OperatorCall Read(const Texts& texts) {
    return ReadCall(names_, names_.Intern(texts.op), DetailOf(texts));
  }
  std::string Id(const Texts& texts) {
    return IdOfCall(names_, names_.Intern(texts.op), DetailOf(texts));
  }

  StringTable names_;
};

constexpr Texts kConv{"aten::conv2d", "[[8, 3, 5, 5], [4, 3, 3, 3], [], [], []]",
                      R"(["float", "float", "", "ScalarList", "Scalar"])",
                      "[[75, 25, 5, 1], [27, 9, 3, 1], [], [], []]",
                      R"(["", "", "", "[1, 1]", "0.5"])"};

TEST_F(OperatorCallTest, TellsTensorsValuesAndWhatIsAbsent) {
  const OperatorCall call = Read(kConv);
  EXPECT_TRUE(call.complete);
  ASSERT_EQ(call.inputs.size(), 5u);
  EXPECT_EQ(call.inputs[0].form, CallInput::Form::kTensor);
  EXPECT_EQ(call.inputs[0].tensor.sizes, (Dimensions{8, 3, 5, 5}));
  EXPECT_EQ(call.inputs[0].tensor.strides, (Dimensions{75, 25, 5, 1}));
  EXPECT_TRUE(call.inputs[0].tensor.strides_known);
  EXPECT_EQ(call.inputs[2].form, CallInput::Form::kNone);
  EXPECT_EQ(call.inputs[3].form, CallInput::Form::kValue);
  EXPECT_EQ(call.inputs[3].value, "[1, 1]");
}

TEST_F(OperatorCallTest, ScalarTensorsHaveNoSizes) {
  const OperatorCall call =
      Read({"aten::mul", "[[2], []]", R"(["float", "double"])", "[[1], []]", R"(["", ""])"});
  EXPECT_EQ(call.inputs[1].form, CallInput::Form::kTensor);
  EXPECT_TRUE(call.inputs[1].tensor.sizes_known);
  EXPECT_TRUE(call.inputs[1].tensor.sizes.empty());
  EXPECT_TRUE(call.inputs[1].tensor.strides_known);
}

TEST_F(OperatorCallTest, ValuesAreUnknownWhereTheTraceHasNone) {
  const OperatorCall call = Read({"aten::conv2d", "[[8, 3, 5, 5], [4, 3, 3, 3], [], []]",
                                  R"(["float", "float", "", "GenericList"])", "", ""});
  EXPECT_FALSE(call.inputs[0].tensor.strides_known);
  EXPECT_EQ(call.inputs[2].form, CallInput::Form::kUnknown);
  EXPECT_EQ(call.inputs[3].form, CallInput::Form::kUnknown);
}

TEST_F(OperatorCallTest, ListsOfTensorsAreReadAsSuch) {
  const OperatorCall call =
      Read({"aten::cat", "[[[2, 3], [4, 3]], []]", R"(["TensorList", "Scalar"])",
            "[[[3, 1], [3, 1]], []]", R"(["", "0"])"});
  ASSERT_EQ(call.inputs[0].form, CallInput::Form::kTensors);
  ASSERT_EQ(call.inputs[0].tensors.size(), 2u);
  EXPECT_EQ(call.inputs[0].tensors[1].sizes, (Dimensions{4, 3}));
  EXPECT_EQ(Read({"aten::cat", "[[], []]", R"(["TensorList", "Scalar"])", "", ""}).inputs[0].form,
            CallInput::Form::kTensors);
}

TEST_F(OperatorCallTest, ListsThatDoNotFitAreNotComplete) {
  EXPECT_FALSE(Read({"aten::mm", "[[2, 3], [3, 4]]", R"(["float"])", "", ""}).complete);
  EXPECT_FALSE(
      Read({"aten::mm", "[[2, 3], [3, 4]]", R"(["float", "float"])", "[[3, 1]]", ""}).complete);
  std::string many = "[[1]";
  for (int i = 0; i < 1000; ++i) many += ", [1]";
  EXPECT_FALSE(Read({"aten::mm", many + "]", "", "", ""}).complete);
}

TEST_F(OperatorCallTest, HostileTextsAreReadToo) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& text :
       {deep, std::string("[[9223372036854775808]]"), std::string("[[-1]]"), std::string("]["),
        std::string("[\"\\\"]"), std::string("{}"),
        std::string("[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]"), std::string()}) {
    const Texts texts{"aten::mm", text, text, text, text};
    if (text.empty()) continue;
    EXPECT_LT(Read(texts).inputs.size(), 256u);
    EXPECT_EQ(Id(texts).size(), 12u);
  }
}

TEST_F(OperatorCallTest, TheIdIsThatOfShapesTypesStridesAndWholeValues) {
  const std::string id = Id(kConv);
  EXPECT_EQ(id.size(), 12u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), id.npos);
  const auto with = [](auto change) {
    Texts texts = kConv;
    change(texts);
    return texts;
  };
  EXPECT_NE(Id(with([](Texts& t) { t.op = "aten::conv1d"; })), id);
  EXPECT_NE(Id(with([](Texts& t) { t.shapes = "[[9, 3, 5, 5], [4, 3, 3, 3], [], [], []]"; })), id);
  EXPECT_NE(Id(with([](Texts& t) { t.types = R"(["float", "double", "", "", ""])"; })), id);
  EXPECT_NE(Id(with([](Texts& t) { t.strides = ""; })), id);
  EXPECT_NE(Id(with([](Texts& t) { t.values = R"(["", "", "", "[2, 2]", "0.5"])"; })), id);
  EXPECT_EQ(Id(with([](Texts& t) { t.values = R"(["", "", "", "[1, 1]", "1e-05"])"; })), id);
  EXPECT_EQ(Id(with([](Texts& t) { t.shapes = "[[8,3,5,5],[4,3,3,3],[],[],[]]"; })), id);
}

// Values of other libraries may be anything, such as a number that counts calls.
TEST_F(OperatorCallTest, OfOtherLibrariesNoValueIsInTheId) {
  const auto id = [&](std::string_view values) {
    return Id({"vllm::attend", "[[8], []]", R"(["float", "Scalar"])", "", values});
  };
  EXPECT_EQ(id(R"(["", "17"])"), id(R"(["", "18"])"));
}

TEST_F(OperatorCallTest, TypesHaveNamesForPeopleAndForPython) {
  EXPECT_EQ(TypeLabel("c10::BFloat16"), "bf16");
  EXPECT_EQ(TypeLabel("long int"), "int64");
  EXPECT_EQ(TypeLabel("unsigned char"), "uint8");
  EXPECT_EQ(TypeLabel("their::type"), "their::type");
  EXPECT_EQ(TorchTypeOf("c10::Float8_e4m3fn"), "float8_e4m3fn");
  EXPECT_EQ(TorchTypeOf("Scalar"), "");
}

}  // namespace
}  // namespace stepscope::operator_call_test
