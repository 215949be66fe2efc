// Writes events as JSON lines in stepscope's own form, which entry.h reads.
#pragma once

#include <string>

#include "goodput/events/event.h"

namespace stepscope::goodput {

// Appends one line. Reading it returns the same event, except that invalid UTF-8 is replaced.
void AppendJsonLine(const Event& event, std::string& out);

}  // namespace stepscope::goodput
