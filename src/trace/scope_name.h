// Reads the modules of a model from the name scopes that compilers keep of operations.
#pragma once

#include <string_view>
#include <vector>

namespace stepscope {

struct ScopeName {
  std::vector<std::string_view> modules;  // from the outermost on, "Net", "Dense_0"
  bool backward = false;
};

// Reads "jit(train_step)/jit(main)/transpose(jvp(Net))/Dense_0/dot_general:" of JAX (Flax) and
// "gradient_tape/model/dense/MatMul:MatMul" of TensorFlow (Keras): the modules are Net and Dense_0,
// model and dense, in backward. What functions and loops add is left out, and so is the operation.
ScopeName ParseScopeName(std::string_view text);

}  // namespace stepscope
