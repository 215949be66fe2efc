// Makes one finding of all findings with one cause, and orders what remains by worth.
#pragma once

#include "stepscope/report.h"

namespace stepscope {

// From this share of the time, a finding is worth a reader's first look.
inline constexpr double kWorthALook = 0.01;

// Sets what the findings of all reports have only together:
//   - share, from the impact and what it was measured over, or else `whole`: at most all of that
//     time; per_step: that share of a step of `whole`;
//   - severity: high from a share of 10%, medium from 3%, else low. Findings that are not a time,
//     such as full memory, keep theirs;
//   - evidence: of findings with one cause, the one nearest to it stays in its report and takes the
//     others, which their reports lose. There is one advice per cause, and none for a larger batch
//     where memory is nearly full;
//   - place: recordings that lack something first, then by severity, then what was measured before
//     what another precision might save, then by share, where a cause on one rank counts thrice.
// `whole`: the mean time of a rank, and how many steps of the usual length it holds; zeros where
// unknown.
void JoinFindings(ReportSet& answer, const Extent& whole);

// All findings, first place first. Those without a place come first, by impact.
std::vector<const Finding*> FindingsInOrder(const ReportSet& answer);

// Whether people see it among the first: it takes time that counts, or it is not a matter of time.
bool WorthALook(const Finding& finding);

}  // namespace stepscope
