// Says which kernels use Tensor Cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/string_table.h"
#include "facts/facts.h"
#include "trace/kernel_vocabulary.h"

namespace stepscope {

// Looks at each name once; from any number of threads.
class TensorCoreUse {
 public:
  // `names` must outlive this.
  explicit TensorCoreUse(const StringTable& names) : names_(&names), known_(names.size()) {
    for (std::atomic<uint8_t>& known : known_) known.store(kUnknown, std::memory_order_relaxed);
  }

  TensorCores Of(StringId kernel) const {
    std::atomic<uint8_t>& known = known_[kernel];
    if (const uint8_t use = known.load(std::memory_order_relaxed); use != kUnknown)
      return static_cast<TensorCores>(use);
    const TensorCores use = TensorCoresOfKernel((*names_)[kernel]);
    known.store(static_cast<uint8_t>(use), std::memory_order_relaxed);
    return use;
  }
  // Whether the kernel's rate is that of Tensor Cores. What compilers generate is on them where it
  // is matrix work: its rate must not be set against a lower peak.
  bool MayUse(StringId kernel) const { return Of(kernel) != TensorCores::kNo; }

 private:
  static constexpr uint8_t kUnknown = UINT8_MAX;

  const StringTable* names_;
  mutable std::vector<std::atomic<uint8_t>> known_;  // by name
};

const TensorCoreUse& TensorCoreUseOf(const Facts& facts);

}  // namespace stepscope
