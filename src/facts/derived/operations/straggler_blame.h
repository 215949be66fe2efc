// Decides whom a slowdown may be said to be due to. Chance makes some worker the slowest in every
// job, and the shares of StragglerCost do not tell it from one that is slow.
#pragma once

#include <cstdint>

#include "facts/derived/operations/straggler_cost.h"

namespace stepscope {

enum class StragglerBlame : uint8_t {
  kNobody,
  kWorkers,    // the slowest 3%
  kStages,     // how the model is divided into stages
  kVariation,  // what varies within stages
};

// Workers, where half of the slowdown or more, and at least as much as stages have, is gone without
// them, and they stand out: each costs at least five times as much as the median of the others, and
// steps without their excess are shorter by 3% at the median, by three standard errors, and in
// three of four steps. Stages, where half or more is due to them. Else what varies, where stages
// are known.
StragglerBlame BlameFor(const StragglerCost& cost);

}  // namespace stepscope
