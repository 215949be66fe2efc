// Tells how much of the time the steps cover.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "facts/facts.h"

namespace stepscope {

// The steps' share of the time from the first to the last of each rank, evaluation between them and
// steps that were not selected aside. Nothing where no rank has two.
std::optional<double> CoverageOfSteps(std::span<const RankActivity> ranks);

// From this share on, steps are most of what a rank does: below, some of them were not marked.
inline constexpr double kMostIsSteps = 0.5;

}  // namespace stepscope
