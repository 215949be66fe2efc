// Names the tables of all analyses, for completion.
#pragma once

#include <string>
#include <vector>

namespace stepscope::cli {

// "stragglers.ranks" and so on, and "findings".
std::vector<std::string> TableNames();

}  // namespace stepscope::cli
