// Writes the verdict: the sentences a reader sees first.
#pragma once

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// The first finding, and the headline of the first available report. Without a finding that is
// worth a look, the largest cost besides compute, where the reports can tell. Between them what is
// missing: "Input is incomplete: 1 file cannot be read, ranks 2 and 5 have no trace." If only one
// rank was given: "1 of 8 ranks was given: communication may be waiting for the others." `facts`:
// those of the answer. REQUIRES: the findings are joined (report/findings.h).
Phrase Verdict(const ReportSet& answer, const Facts& facts);

// Where no rank, step or function stands out, no finding is more than low: what is left is a little
// of everything. REQUIRES: as Verdict(), which says so.
void LowerWhereNothingStandsOut(ReportSet& answer, const Facts& facts);

// "Traces may be of another job: ... ." Empty where nothing makes that doubtful.
Phrase SayWhatIsDoubtful(const RunInfo& run);

}  // namespace stepscope
