// Measures all-to-alls by their place in a step, and the compute between one and the next.
//
// Layers of experts send tokens to the ranks of their experts (dispatch), compute there, and send
// the results back (combine). Where experts get different amounts, the ranks' compute between the
// two differs, and all wait for the largest.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"

namespace stepscope {

struct ExpertExchange {
  uint32_t of = 0;                   // index into ParallelLayout::classes
  int64_t place = -1;                // 1, 2, ... in its group and step; -1: without steps, of all
  int64_t count = 0;                 // all-to-alls, of all groups and steps
  int64_t ranks = 0;                 // recorded ones that took part in one, at most
  std::optional<int64_t> wait = {};  // ns: mean of ranks
  std::optional<int64_t> transfer = {};  // likewise
  // Compute of a rank until its next all-to-all of the same group and step, in ns; unknown for the
  // last one of a step. Imbalance: of the groups of which all ranks were recorded.
  std::optional<int64_t> compute = {};  // mean
  std::optional<int64_t> most = {};     // mean of the largest of each
};

const std::vector<ExpertExchange>& ExpertExchangesOf(const Facts& facts);

}  // namespace stepscope
