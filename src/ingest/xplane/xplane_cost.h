// Computes what the operations of a compiled program cost: arithmetic and memory accesses.
#pragma once

#include <cstddef>
#include <vector>

#include "ingest/xplane/xplane_module.h"

namespace stepscope {

// Of one execution. Doubles: shapes may be hostile, and counts exceed 2^63.
struct HloCost {
  double flops = -1;  // -1: not known
  double transcendentals = 0;
  double bytes = 0;
};

class HloCosts {
 public:
  // One pass over the module, which must outlive this.
  explicit HloCosts(const HloModule& module);

  // Of an instruction of module.computations()[computation].
  HloCost Of(size_t computation, const HloInstruction& in) const;
  // Of all in a computation.
  const HloCost& Total(size_t computation) const { return totals_[computation]; }

 private:
  // What a fusion accesses of one of its parameters.
  struct Access {
    double whole = 0;   // bytes of the parameter
    double parts = 0;   // that slices take of it
    bool full = false;  // something takes all of it
  };
  struct Fused {
    std::vector<Access> parameters;
    double update = -1;  // bytes that the root writes in place; -1: it writes its result
  };

  HloCost Called(const HloInstruction& in, double times) const;
  HloCost OfConditional(const HloInstruction& in) const;
  double Bytes(const HloComputation& within, const HloInstruction& in, const HloCost& called) const;
  double FusionBytes(const HloComputation& within, const HloInstruction& in) const;
  static Fused AccessesOf(const HloComputation& computation);

  const HloModule& module_;
  std::vector<HloCost> totals_;  // of those before the one that is being counted
  std::vector<Fused> fused_;
};

}  // namespace stepscope
