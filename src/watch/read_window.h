// Reads what a captured window says.
#pragma once

#include <string>

#include "stepscope/watch.h"

namespace stepscope {

// Fills all but the time and what became of it. `why` says what is wrong with a trace that cannot
// be read, or that has no whole step.
void ReadWindow(const std::string& folder, WatchedWindow& window);

}  // namespace stepscope
