// Writing a file so that nobody ever sees half of it.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// Replaces the file at `path` with `bytes`: written beside it under another name, synced, then
// renamed; a link stays one. What is no ordinary file (/dev/stdout wherever it leads, /dev/null, a
// pipe) is written to directly. On failure a file that was there before is untouched.
Result<void> WriteFileAtomically(const std::string& path, std::string_view bytes);

}  // namespace stepscope
