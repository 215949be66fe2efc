// Says what stragglers cost a job, as the report `whatif`.
#pragma once

#include <string>

#include "analyses/analysis.h"
#include "facts/derived/operations/straggler_cost.h"
#include "stepscope/report.h"

namespace stepscope {

// How the costs were found, for the words of the report.
struct StragglerWords {
  // What was left out of the recorded step before anything was compared: "launch delays".
  std::string no_delay;
  // What operations took in the ideal: "the mean or median of its type".
  std::string ideal;
};

// Tables `straggler`, `straggler_types`, `straggler_workers`, `straggler_stages`,
// `straggler_replicas` and `straggler_steps`, and a finding where steps take 3% longer or more.
Report StragglerReport(const StragglerCost& cost, const StragglerWords& words);

// Why traces cannot tell what stragglers cost, or the report. REQUIRES: the facts are of events
// that `needs` names.
Report StragglerReportOf(const Facts& facts);
extern const Wanted kStragglerNeeds;

}  // namespace stepscope
