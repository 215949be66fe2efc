// Answers about goodput as Reports.
#pragma once

#include <string>
#include <vector>

#include "goodput/accounting/ml_goodput.h"
#include "goodput/accounting/partition.h"
#include "goodput/accounting/step_clock.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// The last stretch of a job, such as its last hour.
struct RollingWindow {
  std::string name;
  Partition partition;
};

// Our accounting, with findings. `partition.unaccounted` other than 0 makes the report unavailable:
// a sum that is wrong is no answer.
Report PartitionReport(const Partition& partition, const StepClock& clock,
                       const std::vector<RollingWindow>& rolling = {});

// The largest losses, the most worthwhile first.
std::vector<Finding> FindLosses(const Partition& partition, const StepClock& clock);

// The reference library's numbers.
Report MlGoodputReport(const MlAnswer& answer, const MlGoodput& log);

// Nothing to say, and why: a sentence without a final stop.
Report NoGoodput(std::string why);

}  // namespace stepscope::goodput
