// Tells names that only training has, or only inference, or only compiled code.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/vocabulary.h"

namespace stepscope {

// What a job's steps are for. Unknown where neither is seen: a forward pass alone may be either.
enum class Purpose : uint8_t { kUnknown, kTraining, kInference };
std::string_view PurposeName(Purpose purpose);  // "unknown", "training", "inference"

// What an operator, annotation or kernel of that name shows. Training: backward passes, optimizers,
// and what reduces gradients. Inference: a cache of keys and values and attention that reads it,
// the batches of vLLM and SGLang, and the loops of diffusion pipelines. Kinds other than these show
// nothing.
Purpose PurposeOfName(Kind kind, std::string_view name);

// Whether an operator, annotation or kernel of that name is of code that torch.compile made: a
// compiled region, a call of its graph, or a Triton kernel that Inductor named.
bool IsCompiledName(std::string_view name);

}  // namespace stepscope
