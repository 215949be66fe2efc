// Computes how much of its chips a job uses from what it recorded, for reports and running jobs.
#pragma once

#include <cstdint>
#include <optional>

#include "goodput/accounting/accounting.h"
#include "goodput/accounting/partition.h"
#include "stepscope/program_goodput.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What stays constant while a job runs.
struct ProgramRates {
  double flops_per_token = 0;       // of training; 0: use the FLOPs that the job recorded
  double peak = 0;                  // of one chip, FLOPs a second
  std::optional<double> bf16_peak;  // where the type is another one and its peak is known
  double chips = 0;                 // 0: what the job's events request
};

// Builds rates from a model, a chip and the number of chips. Model and number may be missing; the
// speed is ignored. Fails if the chip's peak is unknown or a number is out of range.
Result<ProgramRates> ProgramRatesOf(const ProgramOptions& options);

// The same for optional options.
Result<std::optional<ProgramRates>> ProgramRatesIf(const std::optional<ProgramOptions>& options);

// Time in which a job makes steps, kept or lost, ns.
int64_t SteppingTime(const Partition& partition);

struct ProgramUse {
  double flops = 0;       // of the model, that the job did
  double peak_flops = 0;  // that its chips can do in a second
  double mfu = 0;         // while it made steps
  std::optional<double> emfu;
};

// No value if tokens or FLOPs, chips or steps are unknown. Uses tokens if the model is given,
// otherwise the FLOPs that the job recorded.
std::optional<ProgramUse> UseOf(const ProgramRates& rates, const Accounting& accounting,
                                const Partition& partition);

}  // namespace stepscope::goodput
