// Simulates the model's process failure by failure; the exact form must agree with it.
//
// Shares only the description of the process (goodput/model/model.h) with the exact form. The same
// seed gives the same result on every machine with IEEE 754 doubles and without fused
// multiply-adds.
#pragma once

#include <cstdint>
#include <optional>

#include "goodput/model/model.h"

namespace stepscope::goodput {

struct SimulateOptions {
  uint64_t seed = 1;
  int64_t failures = 200'000;  // simulated failures that interrupt an interval; at least 2
};

struct Simulated {
  double goodput = 0;
  double standard_error = 0;  // of goodput: one sigma
  int64_t failures = 0;
};

// No value without failures, or if the job makes too little progress for a reliable mean: fewer
// than 30 failures leave any work, or restarts fail 50 times per success.
std::optional<Simulated> Simulate(const Parameters& p, const SimulateOptions& options = {});

}  // namespace stepscope::goodput
