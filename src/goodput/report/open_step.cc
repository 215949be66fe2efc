// Finds an open step that hangs, for reports and for the live view.
#include "base/time_units.h"
#include "goodput/report/report.h"
#include "report/humanize.h"

namespace stepscope::goodput {

std::optional<Finding> FindHang(const Partition& p, const StepClock& clock) {
  const int64_t open = p.At(Bucket::kInProgress);
  const auto usual = clock.median();
  if (!p.running || !usual || open < kMinute || open / 10 < *usual) return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = Say("Step {step} has been open for {time}; the job may hang.",
                     p.open_step.value_or(0), HumanTime(static_cast<double>(open))),
      .because = Say("the median step time is {time}", HumanTime(static_cast<double>(*usual))),
      .hint = "inspect the stacks of all ranks, then restart from the last checkpoint",
      .impact = open,
      .table = "buckets"};
}

}  // namespace stepscope::goodput
