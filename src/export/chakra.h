// Writes a recording as an execution trace of MLCommons Chakra, for simulators: what ran, and what
// had to come before it.
//
// Nodes are the host's operators (of the time that they spend outside of others), and what devices
// did. A node waits for the one before it on its thread or stream, for the operator that launched
// it, and for the work of another stream that its own waited for. No node waits for a later one of
// its device or host, so the graph has no circle.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/string_table.h"
#include "export/kept_times.h"
#include "facts/activity/rank_activity.h"
#include "stepscope/result.h"

namespace stepscope {

struct ChakraCounts {
  int64_t nodes = 0;
  int64_t collectives = 0, messages = 0;  // of these
  // Communication whose operation or other side is not known: written as compute, which takes its
  // recorded time.
  int64_t unknown = 0;
  int64_t without_size = 0;  // of collectives and messages
};

// Wanted of a trace to be written so.
inline constexpr Wanted kChakraNeeds(kRankActivityNeeds | KindSet{Kind::kOperator, Kind::kSync},
                                     /*with_inputs=*/true);

// Writes the file `path`, which appears when it is complete. `rank`: the activities to write;
// `kept`: which of the host's operators. Times are those of the recording, in whole µs; those
// before 0 become 0.
// `data`: pairs of HostOps::ranges, of which the first reads what the second wrote; ascending.
using ReadsOf = std::pair<uint32_t, uint32_t>;
Result<ChakraCounts> WriteChakra(const std::string& path, const RankActivity& rank,
                                 const StringTable& names, const KeptTimes& kept,
                                 std::span<const ReadsOf> data = {});

}  // namespace stepscope
