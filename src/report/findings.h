// Makes one finding of all findings with one cause, and orders what remains by impact.
#pragma once

#include <vector>

#include "report/weigh_findings.h"
#include "stepscope/report.h"

namespace stepscope {

// From this share of the time, a finding is worth a reader's first look.
inline constexpr double kWorthALook = 0.01;

// Sets what the findings of all reports have only together:
//   - share: the impact over the time it was measured over; over `whole` where that time or the
//     steps are unknown. At most 1;
//   - per_step: the impact over the number of steps it was measured over, or the share of the mean
//     step; of a finding since a step, over the steps since then. At most the mean of these steps.
//     All findings together cost at most `most`: in their order, each at most what is left of it,
//     whatever findings of other ranks take, which run side by side;
//   - worth: of findings with one cause, what a replay says of any, and then impact. Unless it is
//     above what was measured (of a rank, 1.5 times that), or below a third of it without taking
//     half of it away;
//   - severity: high from a share of 10%, medium from 3%, else low; at most medium for waiting
//     that no rank, step or other finding explains, and at most the finding's own `at_most`.
//     Findings that are not a time, such as full memory, keep theirs;
//   - evidence: of findings with one cause, the one nearest to it stays in its report and takes the
//     others, which their reports lose. There is one advice per cause, and none for a larger batch
//     where memory is nearly full;
//   - place: what a replay says of one rank before communication and waiting of all; else
//     recordings that lack most (of high severity) first, then by severity, then recordings
//     that lack something, then what was measured before what another precision might save, then
//     what a replay says of one rank, then by share, where a cause on one rank counts thrice.
// `whole`: zeros where unknown.
void JoinFindings(ReportSet& answer, const RankTime& whole);

// All findings, first place first. Those without a place come first, by impact.
std::vector<const Finding*> FindingsInOrder(const ReportSet& answer);

// The report that has the finding. REQUIRES: one of `answer` does.
const Report& ReportOf(const ReportSet& answer, const Finding& finding);

// Whether people see it among the first: it takes time that counts, or it is not a matter of time.
bool WorthALook(const Finding& finding);

}  // namespace stepscope
