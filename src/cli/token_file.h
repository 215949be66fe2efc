// The token that a server and those who send to it share, as a file holds it.
#pragma once

#include <string>

#include "stepscope/result.h"

namespace stepscope::cli {

// The first line. Fails when there is none.
Result<std::string> ReadToken(const std::string& path);

}  // namespace stepscope::cli
