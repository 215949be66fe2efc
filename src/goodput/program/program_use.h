// How much of its chips a job uses, from what it recorded: for reports and for jobs that run.
#pragma once

#include <cstdint>
#include <optional>

#include "goodput/accounting/accounting.h"
#include "goodput/accounting/partition.h"
#include "stepscope/program_goodput.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// What does not change while a job runs.
struct ProgramRates {
  double flops_per_token = 0;       // of training; 0: only the job's own FLOPs tell
  double peak = 0;                  // of one chip, FLOPs a second
  std::optional<double> bf16_peak;  // where the type is another one and its peak is known
  double chips = 0;                 // 0: as many as the job's events ask for
};

// From a model, a chip and their number; model and number may be missing, the speed does not
// count. Fails when the chip's peak is not known, or a number is out of range.
Result<ProgramRates> ProgramRatesOf(const ProgramOptions& options);

// The same where they may not be given at all.
Result<std::optional<ProgramRates>> ProgramRatesIf(const std::optional<ProgramOptions>& options);

// In which a job makes steps, kept or lost, ns.
int64_t SteppingTime(const Partition& partition);

struct ProgramUse {
  double flops = 0;       // of the model, that the job did
  double peak_flops = 0;  // that its chips can do in a second
  double mfu = 0;         // while it made steps
  std::optional<double> emfu;
};

// Nothing where tokens or FLOPs, chips or steps are not known. Where the model is given, tokens
// count; else the FLOPs that the job recorded.
std::optional<ProgramUse> UseOf(const ProgramRates& rates, const Accounting& accounting,
                                const Partition& partition);

}  // namespace stepscope::goodput
