// Compares the steps of each rank of two runs: which became slower or faster beyond the others.
#pragma once

#include <optional>
#include <vector>

#include "report/compare_lead.h"
#include "report/compare_steps.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// What changed on ranks.
struct RankChange {
  Phrase less, more;  // the rank that became faster, and the slower one
  Phrase within;      // the one that differs most, where all is noise
  double beyond = 0;  // ns per step that a rank takes more than the others do; 0: none
  // Several ranks take that much more, for this cause; kNone: it is one rank.
  CauseKind of_several = CauseKind::kNone;
};

// Adds the table of ranks, and a finding about the rank whose time rose beyond the others' and
// beyond noise. Its impact is ns per step.
RankChange AddRankChange(const ReportSet& a, const ReportSet& b, const StepComparison& steps,
                         Report& report, Leads& leads);

}  // namespace stepscope::comparison
