// A job's time in order, for those who draw it: not more periods than can be told apart, and its
// goodput from stretch to stretch.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "goodput/accounting/partition.h"

namespace stepscope::goodput {

// Adds a period that begins where the last one ends: as part of that if it goes on in it.
void AppendPeriod(const Period& period, std::vector<Period>& to);

struct FewPeriods {
  std::vector<Period> periods;  // as long as before, and of each bucket as long as before
  int64_t within = 0;           // ns in which the order may be lost; 0: nowhere
};

// At most `most` (not less than there are buckets) of `periods`, which follow one another without a
// gap. If there are more, the time line is cut into cells of equal length, as short as will do:
// what lies wholly in a cell is put together by bucket, one behind the other, each as of the
// attempt in which it comes first. Longer periods stay as they are.
FewPeriods JoinShortPeriods(std::span<const Period> periods, size_t most);

// [start, end) of the partition in at most `stretches` of equal length, to a ns: where each begins,
// and its goodput as Partition::goodput() has it. Those of which everything is excluded are left
// out. Needs the partition's periods.
std::vector<std::pair<int64_t, double>> GoodputOverTime(const Partition& partition,
                                                        int64_t stretches);

}  // namespace stepscope::goodput
