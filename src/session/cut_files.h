// Says what is missing of files that were read: their ends, or events within them.
#pragma once

#include <optional>

#include "facts/facts.h"
#include "stepscope/report.h"

namespace stepscope {

// "Input is incomplete: 1 file ends early; of rank 1 there are 312 events and 11 complete steps
// (20 on other ranks), and no device activity. Idle and unrecorded time may be what is missing. "
// Of several files, of the one with the fewest events. Empty where all files were read to their
// ends.
Phrase SayCutFiles(const RunInfo& run, const Facts& facts);

// "Input is damaged: 103 of 513 events cannot be read; what they took is missing here.", and to
// copy or record files again. Nothing where that is less than one of a hundred, which notes tell.
std::optional<Finding> UnreadableEvents(const RunInfo& run);

}  // namespace stepscope
