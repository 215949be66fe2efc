// Computes ML productivity goodput (scheduling x runtime x program) and what each factor lost.
//
//   scheduling  time with all chips, healthy / time in which the job wanted them
//   runtime     time that became progress / time with all chips
//   program     model FLOPs / peak FLOPs in that time (MFU)
//
// The product is the share of the paid chip-time that an ideal program on an ideal platform would
// have needed: the times in between cancel out (arXiv 2502.06982). Without scheduler
// events, runtime goodput covers the whole time and stands for the first two.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "goodput/accounting/partition.h"
#include "goodput/accounting/scheduling.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

struct ProductivityInput {
  int64_t total = 0;  // ns of the job, without exclusions
  // ns of the job before the scheduler's first event, as of a log that is kept for an hour.
  int64_t before_scheduler = 0;
  std::optional<int64_t> productive;  // ns of it; absent: only scheduler events are known
  std::optional<SchedulingTimes> scheduling;
  std::optional<double> program;   // 0..1
  double chips = 0;                // 0: unknown
  double price_per_chip_hour = 0;  // 0: unknown
};

// What contradicts itself in the input: a factor above 100%. Empty: nothing.
Phrase Contradiction(const ProductivityInput& input);

// The report "productivity": metrics scheduling_goodput, runtime_goodput, program_goodput, product
// (those that are known), table `losses`: factor, goodput, lost (ns of the job), chip_hours, cost.
// If the scheduler's events cover only a part of the job, the metrics are scheduling_goodput_min
// and scheduling_goodput_max. Unavailable if the input contradicts itself.
Report ProductivityReport(const ProductivityInput& input);

}  // namespace stepscope::goodput
