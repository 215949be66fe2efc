// Says which kernels use Tensor Cores.
#pragma once

#include <optional>
#include <vector>

#include "base/string_table.h"
#include "facts/facts.h"
#include "trace/kernel_vocabulary.h"

namespace stepscope {

// Looks at each name once.
class TensorCoreUse {
 public:
  // `names` must outlive this.
  explicit TensorCoreUse(const StringTable& names) : names_(&names), known_(names.size()) {}

  TensorCores Of(StringId kernel) const {
    std::optional<TensorCores>& use = known_[kernel];
    if (!use) use = TensorCoresOfKernel((*names_)[kernel]);
    return *use;
  }
  // Whether the kernel's rate is that of Tensor Cores. What compilers generate is on them where it
  // is matrix work: its rate must not be set against a lower peak.
  bool MayUse(StringId kernel) const { return Of(kernel) != TensorCores::kNo; }

 private:
  const StringTable* names_;
  mutable std::vector<std::optional<TensorCores>> known_;  // by name
};

const TensorCoreUse& TensorCoreUseOf(const Facts& facts);

}  // namespace stepscope
