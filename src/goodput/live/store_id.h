// Names the store of a collector: who sends events to it can tell that it is another one, or was
// made anew, and lacks what the former had.
#pragma once

#include <string>

#include "base/sharing.h"

namespace stepscope::goodput {

// The random name in this directory, made with the first call: 32 hexadecimal digits. Empty: the
// disk takes none. `sharing`: of the file that holds it. REQUIRES: no other process calls it for
// the directory.
std::string StoreIdOf(const std::string& folder, Sharing sharing);

}  // namespace stepscope::goodput
