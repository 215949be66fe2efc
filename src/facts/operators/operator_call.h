// Reads one call of an operator as a trace has it: which inputs it had, and what tells it from
// other calls.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/host_ops.h"
#include "facts/operators/operator_cost.h"

namespace stepscope {

struct TensorInput {
  std::string type = {};                // as the framework names it, "c10::BFloat16"
  Dimensions sizes = {}, strides = {};  // of as many dimensions, if strides are known
  bool sizes_known = false;             // of a scalar tensor they are known, and none
  bool strides_known = false;
};

struct CallInput {
  enum class Form : uint8_t {
    kTensor,
    kTensors,  // a list; of which traces do not have the types
    kValue,    // a number, a truth value, or a list of these
    kNone,     // absent, or of a kind that traces do not have: a device, a generator, a text
    kUnknown,  // a number or a list that the trace does not have
  };
  Form form = Form::kUnknown;
  TensorInput tensor = {};                // of kTensor
  std::vector<TensorInput> tensors = {};  // of kTensors; empty: not known
  std::string value = {};  // of kValue, as the trace has it: "False", "[1, 1]", "0.125"
};

struct OperatorCall {
  std::string op = {};  // "aten::addmm"
  std::vector<CallInput> inputs = {};
  // Every input is among them. False where lists are of different lengths, or too long to be read.
  bool complete = false;
  OperatorInputs for_cost = {};
};

// What CostOf() reads of it.
OperatorInputs InputsOf(const StringTable& names, const RangeDetail& detail);

// REQUIRES: the trace has the shapes of its inputs.
OperatorCall ReadCall(const StringTable& names, StringId op, const RangeDetail& detail);

// The number of calls of one operator whose inputs have the same shapes, types and strides, as 12
// hexadecimal digits: the same in every run. Of PyTorch's own operators, whole numbers, truth
// values and lists of them must agree too (strides of a convolution, the dimension of a softmax).
// Fractions need not: they change what is computed and not how much.
std::string IdOfCall(const StringTable& names, StringId op, const RangeDetail& detail);

// How PyTorch names the type in Python, "bfloat16"; empty for one that is not known.
std::string_view TorchTypeOf(std::string_view framework_type);

// A type for people: "bf16", "fp32", "int64"; the framework's name where that is not known.
std::string TypeLabel(std::string_view framework_type);

}  // namespace stepscope
