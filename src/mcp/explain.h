// Explains an analysis, or a term that the definitions use.
#pragma once

#include <cstddef>
#include <string>

#include "stepscope/result.h"

namespace stepscope::mcp {

// The documentation of the analysis of this name; of any other text, the sentences of all
// documentations that hold it, in any case. Fails where none does.
Result<std::string> ExplainTerm(const std::string& term, size_t budget);

}  // namespace stepscope::mcp
