// Tells whether what is asked about was condensed.
#pragma once

#include <algorithm>

#include "facts/facts.h"

namespace stepscope {

// Whether any recording is a partial: its work is blocks, and its host is sums alone, so that
// operators, functions, launches and kernels one by one are not known, though they were recorded.
inline bool IsOfPartials(const Facts& facts) {
  return std::ranges::any_of(facts.ranks,
                             [](const RankActivity& rank) { return rank.condensed != nullptr; });
}

// Whether it can be told who is late: not by partials of processors, where operators and their
// inputs tell it, nor by those of processes with several devices, whose blocks are not told apart.
inline bool TellsLateRanks(const RankActivity& rank) {
  return rank.condensed == nullptr || (!rank.on_host && rank.devices.size() < 2);
}

}  // namespace stepscope
