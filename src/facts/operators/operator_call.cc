// Reads inputs from the lists of a trace, and hashes them.
#include "facts/operators/operator_call.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/ascii.h"

namespace stepscope {
namespace {

using Form = CallInput::Form;

constexpr size_t kMostInputs = 200;  // lists of more are cut where they are read
constexpr std::string_view kEmptyList = "[]";

struct TorchType {
  std::string_view framework, python;
};
constexpr auto kTorchTypes = std::to_array<TorchType>({
    {"float", "float32"},
    {"double", "float64"},
    {"c10::Half", "float16"},
    {"c10::BFloat16", "bfloat16"},
    {"c10::Float8_e4m3fn", "float8_e4m3fn"},
    {"c10::Float8_e5m2", "float8_e5m2"},
    {"c10::Float8_e4m3fnuz", "float8_e4m3fnuz"},
    {"c10::Float8_e5m2fnuz", "float8_e5m2fnuz"},
    {"c10::complex<float>", "complex64"},
    {"c10::complex<double>", "complex128"},
    {"long int", "int64"},
    {"long", "int64"},
    {"int", "int32"},
    {"short int", "int16"},
    {"short", "int16"},
    {"signed char", "int8"},
    {"unsigned char", "uint8"},
    {"bool", "bool"},
});

std::string_view TextOf(const StringTable& names, StringId id) {
  return id == kNoString ? std::string_view() : names[id];
}

// Reads a list of numbers; false if it is none.
bool ReadList(std::string_view text, Dimensions& numbers) {
  numbers = ReadNumbers(text);
  return !numbers.empty() || Trimmed(text) == kEmptyList;
}

TensorInput ReadTensor(std::string_view type, std::string_view sizes, std::string_view strides) {
  TensorInput tensor{.type = std::string(type)};
  tensor.sizes_known = ReadList(sizes, tensor.sizes);
  tensor.strides_known =
      ReadList(strides, tensor.strides) && tensor.strides.size() == tensor.sizes.size();
  return tensor;
}

bool IsListOfLists(std::string_view text) {
  const std::string_view inside = Trimmed(text.substr(std::min<size_t>(text.size(), 1)));
  return text.starts_with('[') && inside.starts_with('[');
}

std::vector<TensorInput> ReadTensors(std::string_view sizes, std::string_view strides) {
  std::vector<TensorInput> tensors;
  const std::vector<std::string> each = ReadTexts(strides);
  for (size_t i = 0; const std::string& text : ReadTexts(sizes)) {
    tensors.push_back(ReadTensor("", text, i < each.size() ? each[i] : std::string()));
    ++i;
  }
  return tensors;
}

CallInput ReadInput(std::string_view type, std::string_view sizes, std::string_view strides,
                    std::string_view value) {
  if (type == "TensorList" || IsListOfLists(sizes))
    return {.form = Form::kTensors, .tensors = ReadTensors(sizes, strides)};
  if (Trimmed(sizes) != kEmptyList || !TorchTypeOf(type).empty())
    return {.form = Form::kTensor, .tensor = ReadTensor(type, sizes, strides)};
  if (!value.empty()) return {.form = Form::kValue, .value = std::string(value)};
  return {.form = type.empty() ? Form::kNone : Form::kUnknown};
}

// Whether a value in a trace is a fraction, or has one in its list.
bool HasFraction(std::string_view value) {
  constexpr auto kParts = std::to_array<std::string_view>({".", "e-", "e+", "inf", "nan"});
  return std::ranges::any_of(kParts, [&](std::string_view part) { return value.contains(part); });
}

std::string WholeValues(std::string_view values) {
  std::string whole;
  for (const std::string& value : ReadTexts(values)) {
    if (!HasFraction(value)) whole += value;
    whole += ';';
  }
  return whole;
}

}  // namespace

OperatorInputs InputsOf(const StringTable& names, const RangeDetail& detail) {
  return {ReadShapes(TextOf(names, detail.shapes)), ReadTexts(TextOf(names, detail.types)),
          ReadTexts(TextOf(names, detail.values))};
}

OperatorCall ReadCall(const StringTable& names, StringId op, const RangeDetail& detail) {
  OperatorCall call{.op = std::string(names[op]), .for_cost = InputsOf(names, detail)};
  const std::vector<std::string> sizes = ReadTexts(TextOf(names, detail.shapes));
  const std::vector<std::string> strides = ReadTexts(TextOf(names, detail.strides));
  const auto& [shapes, types, values] = call.for_cost;
  const auto fits = [&](const std::vector<std::string>& list) {
    return list.empty() || list.size() == sizes.size();
  };
  call.complete =
      sizes.size() < kMostInputs && types.size() == sizes.size() && fits(strides) && fits(values);
  const auto at = [](const std::vector<std::string>& list, size_t i) {
    return i < list.size() ? std::string_view(list[i]) : std::string_view();
  };
  for (size_t i = 0; i < std::min(sizes.size(), kMostInputs); ++i) {
    CallInput input = ReadInput(at(types, i), sizes[i], at(strides, i), at(values, i));
    // Without any values, what looks absent may be a number.
    if (values.empty() && input.form == Form::kNone) input.form = Form::kUnknown;
    call.inputs.push_back(std::move(input));
  }
  return call;
}

std::string IdOfCall(const StringTable& names, StringId op, const RangeDetail& detail) {
  std::string text;
  const auto add = [&](std::string_view part) {
    // Profilers differ in spaces. Parts are parted by a character that no list has.
    std::ranges::copy_if(part, std::back_inserter(text), [](char c) { return c != ' '; });
    text += '\n';
  };
  const std::string_view name = names[op];
  text.append(name) += '\n';
  for (const StringId id : {detail.shapes, detail.types, detail.strides}) add(TextOf(names, id));
  if (name.starts_with("aten::")) add(WholeValues(TextOf(names, detail.values)));
  return fmt::format("{:012x}", XXH3_64bits(text.data(), text.size()) >> 16);
}

std::string_view TorchTypeOf(std::string_view framework_type) {
  const auto* at = std::ranges::find(kTorchTypes, framework_type, &TorchType::framework);
  return at == kTorchTypes.end() ? std::string_view() : at->python;
}

std::string TypeLabel(std::string_view framework_type) {
  const NumberType number = NumberTypeOf(framework_type);
  if (number != NumberType::kOther && number != NumberType::kInt8)
    return std::string(NumberTypeName(number));
  const std::string_view python = TorchTypeOf(framework_type);
  return std::string(python.empty() ? framework_type : python);
}

}  // namespace stepscope
