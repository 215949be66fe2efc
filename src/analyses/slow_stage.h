// Reports the pipeline stage that the others wait for.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// Adds the table `stages`, and a finding where a rank has much more time of its own than the
// others. Sets the headline if there is none. REQUIRES: TiedByMessages(facts).
void AddSlowStage(Report& report, const Facts& facts);

}  // namespace stepscope
