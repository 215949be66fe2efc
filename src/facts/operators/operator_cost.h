// Computes the FLOPs and bytes of one execution of an operator from its inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/input_lists.h"

namespace stepscope {

// The type of the numbers an operator multiplies.
enum class NumberType : uint8_t { kFp64, kFp32, kBf16, kFp16, kFp8, kInt8, kOther };
NumberType NumberTypeOf(std::string_view framework_type);  // "float", "c10::BFloat16"
std::string_view NumberTypeName(NumberType type);          // "fp32", "bf16"; "" for kOther

// What one execution of an operator computes.
struct OperatorCost {
  double flops = 0;
  double model_flops = 0;  // without what the backward pass computes a second time
  double bytes = 0;        // at least: inputs read once, outputs written once
  NumberType type = NumberType::kOther;
};

// An operator's inputs, as a trace tells them.
struct OperatorInputs {
  std::vector<Dimensions> shapes;
  std::vector<std::string> types;   // may be shorter than `shapes`
  std::vector<std::string> values;  // of inputs that are no tensors; may be empty

  // The dimensions of input `i`; empty where there is none.
  const Dimensions& Shape(size_t i) const;
  std::string_view Value(size_t i) const;  // "" where the trace does not say
};

// The sizes of convolutions' outputs, by the shapes of input and weight, as their backward
// operators tell them. Two sizes for the same shapes (strides may differ) tell none.
class ConvolutionOutputs {
 public:
  // Looks at any operator; takes what a convolution's backward says.
  void Learn(std::string_view op, const OperatorInputs& inputs);
  // Empty where it is not known.
  Dimensions Find(const Dimensions& input, const Dimensions& weight) const;

 private:
  std::map<std::pair<Dimensions, Dimensions>, Dimensions> outputs_;  // empty: more than one
};

// A product of (m, k) and (k, n), `batch` times.
struct ProductSizes {
  size_t first = 0;  // the position of the (m, k) operand, which the other one follows
  double batch = 1;
  int64_t m = 1, n = 1, k = 1;
  bool weight = false;  // the second operand is (n, k), as that of aten::linear
};

// Nothing for other operators, and where shapes do not fit.
std::optional<ProductSizes> ProductSizesOf(std::string_view op, const OperatorInputs& inputs);

// Attention, or its backward.
struct AttentionSizes {
  size_t first = 0;  // the position of the queries, which keys and values follow
  int64_t batch = 0, heads = 0, key_heads = 0;
  int64_t queries = 0, keys = 0;  // lengths of sequences
  int64_t width = 0, value_width = 0;
  bool causal = false;
};

// Nothing for other operators, and for packed sequences, whose lengths are not in the trace.
std::optional<AttentionSizes> AttentionSizesOf(std::string_view op, const OperatorInputs& inputs);

// A convolution, or its backward.
struct ConvolutionSizes {
  Dimensions input, weight;
  Dimensions stride, padding, dilation;  // empty: the trace does not say
};

// Nothing for other operators.
std::optional<ConvolutionSizes> ConvolutionSizesOf(std::string_view op,
                                                   const OperatorInputs& inputs);

// Whether an operator of this name can be counted at all.
bool IsCountable(std::string_view op);

// Nothing where name or inputs do not tell. REQUIRES of `outputs`: it has learned from the trace.
std::optional<OperatorCost> CostOf(std::string_view op, const OperatorInputs& inputs,
                                   const ConvolutionOutputs& outputs);

}  // namespace stepscope
