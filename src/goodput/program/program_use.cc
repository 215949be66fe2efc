// Computes utilization from recorded tokens, FLOPs and time.
#include "goodput/program/program_use.h"

#include "base/time_units.h"
#include "goodput/program/flops.h"

namespace stepscope::goodput {

int64_t SteppingTime(const Partition& partition) {
  return partition.At(Bucket::kProductive) + partition.At(Bucket::kWasted);
}

Result<std::optional<ProgramRates>> ProgramRatesIf(const std::optional<ProgramOptions>& options) {
  if (!options) return std::nullopt;
  const auto rates = ProgramRatesOf(*options);
  if (!rates) return std::unexpected(rates.error());
  return *rates;
}

std::optional<ProgramUse> UseOf(const ProgramRates& rates, const Accounting& accounting,
                                const Partition& partition) {
  const auto tokens = static_cast<double>(accounting.tokens());
  const bool by_tokens = rates.flops_per_token > 0 && tokens > 0;
  const double chips =
      rates.chips > 0 ? rates.chips : static_cast<double>(accounting.scheduling().most_requested());
  ProgramUse use{.flops = by_tokens ? tokens * rates.flops_per_token
                                    : static_cast<double>(accounting.billion_flops()) * 1e9,
                 .peak_flops = chips * rates.peak};
  const double seconds = Seconds(SteppingTime(partition));
  if (!(use.flops > 0) || !(use.peak_flops > 0) || !(seconds > 0)) return std::nullopt;
  use.mfu = Utilization(1 / seconds, use.flops, chips, rates.peak);
  if (rates.bf16_peak) use.emfu = Utilization(1 / seconds, use.flops, chips, *rates.bf16_peak);
  return use;
}

}  // namespace stepscope::goodput
