// Shortens C++ function names as compilers spell them.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Removes return type, parameters and the namespaces common to PyTorch kernels; template arguments
// stay. Names that are not C++ signatures are returned unchanged.
//   "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>
//   >(at::native::ReduceOp<float>)"
//   -> "reduce_kernel<512, 1, ReduceOp<float> >"
std::string PlainName(std::string_view name);

// The same without template arguments: "reduce_kernel". For sentences.
std::string ShortName(std::string_view name);

// What people read in place of a cell: PlainName() of each name of "one | another".
std::string ShownName(std::string_view text);

// "aten::layer_norm"; "AddmmBackward0" of "autograd::engine::evaluate_function: AddmmBackward0".
std::string_view OperatorLabel(std::string_view name);

}  // namespace stepscope
