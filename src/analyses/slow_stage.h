// Reports the pipeline stage that the others wait for.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// The hint where stages of a pipeline wait for messages while it fills and drains.
inline constexpr std::string_view kFillPipeline =
    "shorten the time in which the pipeline fills and drains: more micro-batches, an interleaved "
    "schedule, stages that take equally long; see stragglers for the time of each";

// Adds the table `stages`, and a finding where a rank has much more time of its own than the
// others. Sets the headline if there is none. REQUIRES: TiedByMessages(facts).
void AddSlowStage(Report& report, const Facts& facts);

}  // namespace stepscope
