// Prepares a job's time for charts: a limited number of periods, and goodput by stretch.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "goodput/accounting/partition.h"

namespace stepscope::goodput {

// Appends a period that begins where the last one ends; extends the last one if the bucket is
// equal.
void AppendPeriod(const Period& period, std::vector<Period>& to);

struct JoinedPeriods {
  std::vector<Period> periods;  // same total time, also per bucket
  int64_t within = 0;           // ns within which the order may be lost; 0: none
};

// Reduces `periods`, which have no gaps, to at most `most` (>= number of buckets). If there are
// more, cuts time into the shortest sufficient cells of equal length. Periods inside a cell are
// joined by bucket, each with the attempt of its first part. Longer periods stay.
JoinedPeriods JoinShortPeriods(std::span<const Period> periods, size_t most);

// Goodput of at most `stretches` equal parts of [start, end): the start of each and its goodput, as
// in Partition::goodput(). Skips fully excluded parts. REQUIRES: the partition has periods.
std::vector<std::pair<int64_t, double>> GoodputOverTime(const Partition& partition,
                                                        int64_t stretches);

}  // namespace stepscope::goodput
