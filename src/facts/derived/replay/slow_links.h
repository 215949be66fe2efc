// Finds process groups whose transfers take far longer than those of groups alike, or longer than
// in their own earlier steps. Whether that costs the job anything is another question: a replay
// with `link GROUP: xN` answers it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "facts/derived/replay/job_graph.h"

namespace stepscope {

struct SlowLink {
  uint32_t group = 0;            // index into CollectiveFacts::groups
  std::optional<int64_t> since;  // number of the step; absent: in all
  double times = 1;              // as long as usual, at the median since then
  size_t alike = 0;  // groups of as many ranks that transfer as much; 0: compared with itself
  // What shows most of it: the operation, and ns of a transfer since then and usually.
  StringId operation = kNoString;
  double now = 0, usual = 0;
  double excess = 0;  // ns, of all its transfers since then
};

// Those that take 1.3 times as long or more, the largest excess first, three at most. Messages are
// not looked at, nor collectives of which a member has no trace: their transfers may be waits for
// it (absent_ranks.h). n log n.
const std::vector<SlowLink>& SlowLinksOf(const Facts& facts);

}  // namespace stepscope
