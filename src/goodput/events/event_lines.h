// Events as lines of JSON, in the form of our own that entry.h reads.
#pragma once

#include <string>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Appends one line with all that the event says: reading it gives the same event, but for bytes of
// its texts that are no UTF-8, which are replaced.
void AppendJsonLine(const Event& event, std::string& out);

}  // namespace stepscope::goodput
