// Reads a small file whole, and tells a missing one from one that the system cannot read.
#pragma once

#include <optional>
#include <string>

#include "stepscope/result.h"

namespace stepscope {

// The bytes of the file; nothing if no file has this name. Fails if the system cannot open it or
// cannot read it to its end.
Result<std::optional<std::string>> ReadFileIfThere(const std::string& path);

}  // namespace stepscope
