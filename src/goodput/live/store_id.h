// Names the store of a collector: who sends events to it can tell that it is another one, or was
// made anew, and lacks what the former had.
#pragma once

#include <string>

namespace stepscope::goodput {

// The random name in this directory, made with the first call: 32 hexadecimal digits. Empty: the
// disk takes none. REQUIRES: no other process calls it for the directory.
std::string StoreIdOf(const std::string& folder);

}  // namespace stepscope::goodput
