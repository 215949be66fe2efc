// The model's process played out failure by failure, with dice: what the exact form must agree
// with.
//
// Shares with it the description of the process (goodput/model/model.h) and none of its algebra.
// Same seed, same answer on every machine, as far as its doubles are those of IEEE 754 and its
// compiler fuses no multiplications with additions.
#pragma once

#include <cstdint>
#include <optional>

#include "goodput/model/model.h"

namespace stepscope::goodput {

struct SimulateOptions {
  uint64_t seed = 1;
  int64_t failures = 200'000;  // that interrupt an interval: how many to play; at least 2
};

struct Simulated {
  double goodput = 0;
  double standard_error = 0;  // of goodput: one sigma
  int64_t failures = 0;
};

// No value without failures, and where the job so rarely gets anywhere that chance decides: no 30
// of the failures leave any work, or restarts fail 50 times for each that succeeds.
std::optional<Simulated> Simulate(const Parameters& p, const SimulateOptions& options = {});

}  // namespace stepscope::goodput
