// Writes the sentences about a stuck job.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "hang/judge.h"
#include "stepscope/phrase.h"

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

}  // namespace stepscope::hang
