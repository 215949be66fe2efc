// C++ function names as compilers spell them, made readable.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Without return type, parameters and the namespaces that every PyTorch kernel is in; template
// arguments stay. Names that are no C++ signature come back as they are.
//   "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>
//   >(at::native::ReduceOp<float>)"
//   -> "reduce_kernel<512, 1, ReduceOp<float> >"
std::string PlainName(std::string_view name);

// The same without template arguments: "reduce_kernel". For sentences.
std::string ShortName(std::string_view name);

}  // namespace stepscope
