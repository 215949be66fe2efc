// Takes the chip-time of a job apart: from all that it wanted, factor by factor, to what an ideal
// program would have needed.
#pragma once

#include <optional>

#include "goodput/accounting/productivity.h"
#include "stepscope/goodput_report.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Which input a factor that is not known would need.
struct MissingFactors {
  Phrase scheduling, running, program;
};

// `program_problem`: why program goodput, which was asked for, could not be computed.
MissingFactors MissingOf(const ProductivityInput& input, const GoodputReportOptions& options,
                         const std::optional<Error>& program_problem);

// The report "chip_hours". Table `factors`, a row for each step of the way, in order:
//   all         what the job wanted
//   scheduling  lost without all chips      running  lost without progress
//   program     lost below the chips' peak  ideal    what is left: an ideal program's need
// with goodput, time (ns of the job), chip_hours and cost of each step, and what is left after it
// (left, left_chip_hours, left_cost). A factor that is not known has no goodput and no time; what
// is left then is at most that, and `missing` says which input would tell. Without a number of
// chips there are no chip-hours, and without a price no cost. Unavailable if the input contradicts
// itself, or the job has no time.
Report ChipHoursReport(const ProductivityInput& input, const MissingFactors& missing);

}  // namespace stepscope::goodput
