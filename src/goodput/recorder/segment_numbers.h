// Reads which sequence numbers a segment has, several times as fast as its events.
#pragma once

#include <map>
#include <string>

#include "goodput/events/sequences.h"
#include "stepscope/result.h"

namespace stepscope::goodput {

using NumbersByWriter = std::map<std::string, Sequences>;

// The numbers below `limit` of all events that a reader of the whole segment finds, by writer. None
// of a file that is damaged, was never written to or is gone. Fails if the system cannot read it.
Result<NumbersByWriter> NumbersIn(const std::string& path, int64_t limit);

}  // namespace stepscope::goodput
