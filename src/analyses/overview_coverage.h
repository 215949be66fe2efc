// Tells how much of the time the steps cover.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "facts/facts.h"

namespace stepscope::overview {

// The steps' share of the time from the first to the last of each rank, evaluation between them and
// steps that were not selected aside. Nothing where no rank has two.
std::optional<double> CoverageOfSteps(std::span<const RankActivity> ranks);

}  // namespace stepscope::overview
