// Words for a model: what comes from outside is cut and quoted, texts fit into a budget.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::mcp {

// A name in backquotes, on one line, cut.
std::string Quoted(std::string_view name);

// "what: `where`. Try: hint". On one line, cut.
std::string SayError(const Error& error);

// The lines that fit into so many tokens, and a last one where some do not.
std::string Fitted(const std::vector<std::string>& lines, size_t budget);

}  // namespace stepscope::mcp
