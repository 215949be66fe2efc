// Sets aside the dumps that an earlier attempt of the job left in the same directory.
//
// Within one attempt members of a group meet in operations, so that what their dumps keep overlaps
// in time. A dump whose operations all began before, or after, all those of the others is of
// another attempt; where they did not provably meet, only if that is long.
#pragma once

#include <vector>

#include "ingest/flight/flight_reader.h"
#include "stepscope/phrase.h"

namespace stepscope::hang {

// Moves ranks whose dumps are of other attempts from `dumps` to `unusable`. The newest attempt
// counts if half of its ranks left a dump, else the one with most dumps. Returns what makes that
// doubtful: other dumps are newer, or dumps may be of other attempts, or were written while the
// job still moved. Empty: nothing.
std::vector<Note> SetAsideOtherAttempts(FoundDumps& found);

}  // namespace stepscope::hang
