// The parts of FindLosses(): losses by bucket are in findings.cc, how attempts end in
// findings_ends.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "goodput/report/report.h"

namespace stepscope::goodput {

inline constexpr double kMinReported = 0.02;  // share of counted time
// How causes begin, as processes tell them and as the accounting finds them.
inline constexpr std::string_view kException = "exception ";
inline constexpr std::string_view kKilled = "killed without a word";

Phrase Amount(int64_t time, double ratio);  // "12.0% of counted time (3.4 h)"
std::string_view LossName(Bucket bucket);   // "Chip initialization"

// Steps in which attempts ended long after they began.
std::optional<Finding> HungSteps(const Partition& partition, int64_t counted);
// The attempt that ended, by no exception, longest after the begin of a span without an end.
const AttemptAccount* HungInSpan(const Partition& partition);
// The attempt that went on longest after its last step without a span, as if it hung.
const AttemptAccount* HungAfterSteps(const Partition& partition, const StepClock& clock);
Finding NoStepFinding(const Partition& partition, const AttemptAccount& hung);
// Whether most of the bucket's time is of what hung, or of spans in which exceptions ended
// attempts: there is nothing to make faster.
bool MostlyFailed(const Partition& partition, const StepClock& clock, Bucket bucket);
Finding SpanFinding(const Partition& partition, const AttemptAccount& hung);
// Several attempts that ended before their first step.
std::optional<Finding> FailedStarts(const Partition& partition);
// The only attempt, if an exception ended it before its first step.
std::optional<Finding> FailedStart(const Partition& partition);
// Whether the bucket is of starting, and has time only of attempts that failed before a step: there
// is nothing to make faster.
bool OnlyOfFailedStarts(const Partition& partition, Bucket bucket);
// The last attempts, if they all ended in one step by one exception.
std::optional<Finding> SameEnd(const Partition& partition);

}  // namespace stepscope::goodput
