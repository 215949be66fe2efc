// ML productivity goodput: scheduling x runtime x program goodput, and what each of them lost.
//
//   scheduling  time with all chips, healthy / time in which the job wanted them
//   runtime     time that became progress / time with all chips
//   program     what the chips did / what they could have done meanwhile (MFU)
//
// The product is the share of the paid chip-time that an ideal program on an ideal platform would
// have needed: the times in between cancel out (arXiv 2502.06982). Without a word of a scheduler
// the first two are one, runtime goodput over the whole time.
#pragma once

#include <cstdint>
#include <optional>

#include "goodput/accounting/partition.h"
#include "goodput/accounting/scheduling.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

struct ProductivityInput {
  int64_t total = 0;                  // ns of the job, without what was excluded
  std::optional<int64_t> productive;  // ns, of which; absent: only a scheduler spoke of the job
  std::optional<SchedulingTimes> scheduling;
  std::optional<double> program;   // 0..1
  double chips = 0;                // 0: not known
  double price_per_chip_hour = 0;  // 0: not known
};

// The report "productivity": metrics scheduling_goodput, runtime_goodput, program_goodput, product
// (those that are known), table `losses`: factor, goodput, lost (ns of the job), chip_hours, cost.
Report ProductivityReport(const ProductivityInput& input);

}  // namespace stepscope::goodput
