// Sums the accounting of many jobs by group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "goodput/accounting/jobs.h"
#include "goodput/accounting/partition.h"
#include "stepscope/goodput_fleet.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

// The part of a job in one week, or all of it.
struct JobPart {
  std::string job;
  std::optional<std::string> group;  // absent: without the label
  std::string week;
  double chips = 0;  // 0: unknown
  int64_t time = 0;  // ns, without excluded time
  BucketTimes times{};
};

// "2026-W48": the ISO week of a moment, UTC.
std::string WeekOf(int64_t time);

// The first moment of the week after that of `time`.
int64_t NextWeek(int64_t time);

// The label `by` of a job; absent: it has none, or an empty one. The team of a name "team/job" is a
// label too.
std::optional<std::string> LabelOf(const std::string& job, const Labels& labels,
                                   const std::string& by);

// The number of its chips: recorded, or `otherwise`; absent: unknown.
std::optional<double> ChipsOf(const Job& job, double otherwise);

// Whether its time was neither kept nor may still be.
bool IsLost(Bucket bucket);

Report FleetReport(const std::vector<JobPart>& parts, const GoodputFleetOptions& options);

}  // namespace stepscope::goodput
