// Tells operations of a dump that no recorder writes, as a flipped bit or a bad disk leaves them.
#pragma once

#include <cstddef>
#include <string_view>

#include "ingest/flight/rank_dump.h"
#include "ingest/pickle/value_tree.h"

namespace stepscope {

// Elements or bytes of one dimension; more is no size of a tensor.
inline constexpr int64_t kMostSize = int64_t{1} << 40;

// Sets `odd` of operations: of an unknown name or type, in a group that is not among the first
// `listed` ones which the dump's configuration has (0: it has none), out of the order of its
// group, or a collective that is said to be a message. Operations must be all that the file has,
// by record.
void MarkOdd(RankDump& dump, size_t listed);

// Sets it of those that the counters of their groups contradict: unfinished ones that were counted
// as finished, finished ones that were not, and ones that were not counted at all.
void CompareWithCounters(RankDump& dump);

// Keys of a dump that no recorder writes: damaged ones, such as that of the operations.
int64_t UnknownKeys(const ValueTree& dump);

// Whether PyTorch has such a type: "BFloat16".
bool IsTypeOfTorch(std::string_view name);

}  // namespace stepscope
