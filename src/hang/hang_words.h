// Writes the sentences about a stuck job.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hang/judge.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::hang {

std::string_view ReasonName(Reason reason);  // "host_not_arrived", in JSON
std::string_view WaitName(WaitKind kind);    // "not arrived"

// "rank 9", "ranks 9 and 14", "40 ranks (0, 1, 2, ...)".
Phrase SayRanks(std::span<const int64_t> ranks);

// "9, 14", "0, 1, 2, ...".
std::string ListRanks(std::span<const int64_t> ranks);

// "all_reduce 84032 of TENSOR_MODEL_PARALLEL_GROUP (35)"; of messages "send 13 from 0 to 1 of ...".
Phrase SayOperation(const JobGroup& group, const DumpOperation& operation);

// Roots of one reason, all proven or none: REQUIRES at least one.
using Roots = std::span<const Root>;

// "Ranks 9 and 14 stopped the job: their hosts did not arrive at all_reduce 3 of dp (2)."
Phrase SayRoots(const Job& job, Roots roots);
// What shows it, for one root.
Phrase SayEvidence(const Job& job, const Root& root);
// "members called different things in all_reduce 3 of dp (2), and finished it: ...".
Phrase SayEarlier(const Job& job, const Earlier& earlier);
Phrase SayEarlierAdvice(const Earlier& earlier);
// Whether all that are known arrived, and the dumps do not tell how many ranks the job has.
bool LacksRanks(const Job& job, const Root& root);
// What to do next, or what would decide.
Phrase SayAdvice(const Job& job, Roots roots);

// The newest event of any rank; REQUIRES signs.
int64_t NewestSign(const Job& job);

// "rank 5 waits for 3, 3 for 9".
Phrase SayChain(const Root& root);

// Whether it is a dump that leaves a root open, and not what the job did.
bool IsOfDumps(Doubt doubt);

// "its dump is empty, and all others arrived at all_reduce 5 of group dp", of roots of which some
// have a dump that does not count.
Phrase SayUnusable(const Job& job, Roots roots, const Phrase& place);

// The sentence about roots whose doubt is of dumps. `fault`: what they did, by what there is.
Phrase SayDoubt(const Job& job, Roots roots, const Phrase& fault, const Phrase& place);

// Of what ranks there are dumps that do not count; REQUIRES some.
Finding UnusableFinding(const Job& job);

// A note for each of these dumps, but empty ones.
void AddUnusableNotes(const Job& job, Report& report);

// What to do about it.
Phrase SayWhatProves(const Root& root, const Phrase& named);

}  // namespace stepscope::hang
