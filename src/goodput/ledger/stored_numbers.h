// Which events a ledger has beyond the segments of a directory, by the numbers of their writers: a
// collector whose directory was replaced is sent again what its database has.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment_numbers.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

// Whose the names of writers are. With tokens for teams each team has its own, so that none can
// make another's events count as duplicates; the prefix "team/" of a job's name tells the team, as
// it does where a relay with a token for all teams passes the job on.
enum class WritersAre : uint8_t { kOfAll, kOfTeams };

// What a writer is called where several jobs and teams meet.
std::string WriterKey(WritersAre writers, std::string_view job, const std::string& writer);

// In the names of segments that a collector made. All of their events have numbers.
inline constexpr std::string_view kOfCollector = "-http-";

// The largest number of an event that a collector takes, and one.
inline constexpr int64_t kSequencesEnd = int64_t{1} << 40;

// The numbers in the ledger's rollups and in its segments but these, by WriterKey(). Fails if some
// cannot be read.
Result<NumbersByWriter> NumbersBut(const std::set<std::string>& segments, const Ledger& ledger,
                                   WritersAre writers);

// Whether the segment has events, and `known` has all of them. REQUIRES: a collector's segment.
bool IsKnown(const SegmentNumbers& segment, const NumbersByWriter& known, WritersAre writers);

}  // namespace stepscope::goodput
