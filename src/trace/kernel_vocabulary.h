// Classifies kernel and operator names: Tensor Core use, bits of precision, and the operator of the
// framework.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepscope {

// Whether a kernel computes on Tensor Cores, or on AMD's matrix cores. Kernels that a compiler
// wrote, and libraries' whose names tell nothing, stay unknown.
enum class TensorCores : uint8_t { kNo, kYes, kUnknown };
TensorCores TensorCoresOfKernel(std::string_view name);
std::string_view TensorCoresName(TensorCores use);  // "no", "yes", "unknown"

// Whether a kernel is matrix work that ordinary cores do: neither what Tensor Cores do, nor what
// goes with it, as transposing and adding up the parts of a product does.
bool IsPlainMatrixKernel(std::string_view kernel);

// Whether a kernel's name says that it computes: matrix work, or what PyTorch, CUB and compilers
// write.
bool IsComputeName(std::string_view kernel);

// Whether an operator of this name computes what Tensor Cores can: matrix products, convolutions,
// attention, recurrent cells. "aten::mm", "AddmmBackward0", "model/dense/MatMul:MatMul".
bool IsTensorCoreEligible(std::string_view op);

// With how many bits a kernel computes, by the narrowest type its name speaks of: inputs are
// narrower than what they are summed up in. k32: 32 or more.
enum class Precision : uint8_t { k8, k16, k32, kUnknown };
Precision PrecisionOfKernel(std::string_view name);

// An operator as XLA and TensorFlow write it. Both point into the text it was read from.
struct FrameworkOp {
  std::string_view name;  // "model/dense/MatMul"
  std::string_view type;  // "MatMul"; of input pipelines "Dataset"
};

// Reads "scope/op:Type" of TensorFlow, "scope/op:type" of JAX and "Iterator::Map::Prefetch" of
// tf.data. Nothing for other names, such as "aten::mm" and what users name their ranges.
std::optional<FrameworkOp> ParseFrameworkOp(std::string_view text);

}  // namespace stepscope
