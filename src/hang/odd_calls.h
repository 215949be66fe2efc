// Finds the rank that left the order of calls which its peers kept, and which it had kept itself.
//
// Where ranks wait for one another in a circle, any of them may be wrong. The recorded order of
// calls proves one: it and most of its peers called the same for two rounds and more, then it
// called something else than they.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hang/job.h"

namespace stepscope::hang {

// One call of a rank: of which group (an index into Job::groups), and what.
struct PlacedCall {
  size_t group = 0;
  DumpOperation operation;  // name, line, sequence; no sizes
};

struct OddCall {
  int64_t rank = -1;
  PlacedCall own;     // what it called
  PlacedCall others;  // what it called one round before, and its peers call here
};

// The odd calls of these ranks, at most one each: of several the last. Peers are members of one
// group that called the same since the first call which all of them have. Most of those peers, two
// at least, agree; what they and the rank call since is of the round before, and differs in nothing
// else.
std::vector<OddCall> FindOddCalls(const Job& job, std::span<const int64_t> ranks);

}  // namespace stepscope::hang
