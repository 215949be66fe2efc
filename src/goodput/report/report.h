// Turns answers of the accounting into Reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/accounting/bucket.h"
#include "goodput/accounting/ml_goodput.h"
#include "goodput/accounting/partition.h"
#include "goodput/accounting/step_clock.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// A window at the end of a job, such as its last hour.
struct RollingWindow {
  std::string name;
  Partition partition;
};

// The kind of a bucket's time, by which faces choose its color.
ColumnKind KindOf(Bucket bucket);

// What ended the attempt, without ranks: its reason, or what is known of how it went.
Phrase KindOf(const Disruption& disruption);

// The table "buckets": what took time, most first, and productive time in any case.
Table BucketsTable(const Partition& partition);

// Reports the partition, with findings. Unavailable if `partition.unaccounted` is not 0: its sums
// are wrong then.
Report PartitionReport(const Partition& partition, const StepClock& clock,
                       const std::vector<RollingWindow>& rolling = {});

// The largest losses, largest first.
std::vector<Finding> FindLosses(const Partition& partition, const StepClock& clock);

// An open step of a running job that lasts far longer than its usual steps.
std::optional<Finding> FindHang(const Partition& partition, const StepClock& clock);

// What to try against lost time in this bucket; empty: nothing in general.
std::string_view HintFor(Bucket bucket);

// What is asked about steps: the time of one, in seconds (absent: the usual time), and how many of
// the last ones to list.
struct MlSteps {
  std::optional<double> ideal;
  int64_t most = 10'000;
};

// Reports the reference library's numbers.
Report MlGoodputReport(const MlAnswer& answer, const MlGoodput& log, const MlSteps& asked = {});

// An unavailable report; `why` is a sentence without its final stop.
Report NoGoodput(Phrase why);

}  // namespace stepscope::goodput
