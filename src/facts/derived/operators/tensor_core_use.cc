// Keeps what is known of kernels' names.
#include "facts/derived/operators/tensor_core_use.h"

namespace stepscope {
namespace {

TensorCoreUse OfNames(const Facts& facts) { return TensorCoreUse(*facts.names); }

}  // namespace

const TensorCoreUse& TensorCoreUseOf(const Facts& facts) { return facts.memo.Of<OfNames>(facts); }

}  // namespace stepscope
