// Tells whether what is asked about was condensed.
#pragma once

#include <algorithm>
#include <span>

#include "facts/facts.h"

namespace stepscope {

inline bool IsPartial(const RankActivity& rank) { return rank.condensed != nullptr; }

inline bool HasPartials(std::span<const RankActivity> ranks) {
  return std::ranges::any_of(ranks, IsPartial);
}

// Whether any recording is a partial: its work is blocks, and its host is sums alone, so that
// operators, functions, launches and kernels one by one are not known, though they were recorded.
inline bool IsOfPartials(const Facts& facts) { return HasPartials(facts.ranks); }

// Whether it can be told who is late: not by partials of processors, where operators and their
// inputs tell it, nor by those of processes with several devices, whose blocks are not told apart.
inline bool TellsLateRanks(const RankActivity& rank) {
  return !IsPartial(rank) || (!rank.on_host && rank.devices.size() < 2);
}

}  // namespace stepscope
