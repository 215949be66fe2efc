// Runs an analysis that was added to ours.
#pragma once

#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "analyses/analysis.h"
#include "facts/facts.h"
#include "session/load.h"
#include "stepscope/events.h"
#include "stepscope/report.h"

namespace stepscope {

// One question, in which several plugins may run. All that it refers to must outlive it.
struct PluginQuestion {
  const LoadedRun& run;
  const RunInfo& info;  // as the answer has it
  const Facts& facts;
  const StepSelection& selection;
  const std::vector<std::pair<std::string, std::string>>& params;  // of all analyses
  const std::vector<std::string>& kept;  // analyses of ours that can be asked
  int threads = 0;                       // that read events; 0: one per processor
  std::stop_token stop;
  // Events of the rank that was asked for last.
  std::optional<std::pair<int64_t, EventTable>> events = {};
};

// Its report; unavailable, with the reason, where it failed or is no longer there. Throws Stopped
// where the question was given up. With redaction, nothing private is in it.
Report RunPlugin(const Analysis& analysis, const Params& params, PluginQuestion& question);

}  // namespace stepscope
