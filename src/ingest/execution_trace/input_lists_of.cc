// Implements the texts of inputs.
#include "ingest/execution_trace/input_lists_of.h"

#include <string_view>

namespace stepscope {
namespace {

constexpr std::string_view kEmptyList = "[]";

enum class Form : uint8_t { kTensor, kTensors, kScalar, kScalars, kOther };

// "Tensor(float)", "GenericList[Tensor(float),Tensor(float)]", "Int", "GenericList[Int,Int]".
Form FormOf(std::string_view type) {
  constexpr std::string_view kList = "GenericList[", kTensor = "Tensor(";
  const auto is_number = [](std::string_view t) {
    return t.starts_with("Int") || t.starts_with("Double") || t.starts_with("Bool") ||
           t.starts_with("SymInt") || t.starts_with("SymFloat");
  };
  if (type.starts_with("Tensor(nullptr")) return Form::kOther;  // none was given
  if (type.starts_with(kTensor)) return Form::kTensor;
  if (is_number(type)) return Form::kScalar;
  if (!type.starts_with(kList)) return Form::kOther;
  type.remove_prefix(kList.size());
  if (type.starts_with(kTensor)) return Form::kTensors;
  return is_number(type) || type == "]" ? Form::kScalars : Form::kOther;
}

std::string_view TypeOf(Form form, std::string_view type) {
  constexpr std::string_view kTensor = "Tensor(";
  switch (form) {
    case Form::kTensor:
      type.remove_prefix(kTensor.size());
      return type.substr(0, type.rfind(')'));
    case Form::kTensors:
      return "TensorList";
    case Form::kScalar:
      return "Scalar";
    case Form::kScalars:
      return "ScalarList";
    case Form::kOther:
      return "";
  }
  return "";
}

// What stands in a list of texts as it is.
bool IsPlain(std::string_view text) {
  for (const char c : text) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') return false;
  }
  return true;
}

void Append(std::string& list, std::string_view item, bool quoted) {
  list += list.empty() ? "[" : ", ";
  if (quoted) list += '"';
  if (!quoted || IsPlain(item)) list += item;
  if (quoted) list += '"';
}

}  // namespace

InputLists InputListsOf(const NodeInputs& inputs) {
  const size_t count = inputs.types.size();
  if (count == 0 || inputs.shapes.size() != count || inputs.values.size() != count) return {};
  const bool has_strides = inputs.strides.size() == count;
  InputLists lists;
  for (size_t i = 0; i < count; ++i) {
    const Form form = FormOf(inputs.types[i]);
    const bool tensors = form == Form::kTensor || form == Form::kTensors;
    const bool value = form == Form::kScalar || form == Form::kScalars;
    Append(lists.shapes, tensors ? inputs.shapes[i] : kEmptyList, /*quoted=*/false);
    Append(lists.types, TypeOf(form, inputs.types[i]), /*quoted=*/true);
    Append(lists.values, value ? inputs.values[i] : "", /*quoted=*/true);
    if (has_strides)
      Append(lists.strides, tensors ? inputs.strides[i] : kEmptyList, /*quoted=*/false);
  }
  for (std::string* list : {&lists.shapes, &lists.types, &lists.strides, &lists.values}) {
    if (!list->empty()) *list += ']';
  }
  return lists;
}

}  // namespace stepscope
