// Compacts JSON written by Stepscope to fit into a page.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::server {

// Without the space between tokens. REQUIRES: `json` is valid.
std::string CompactJson(std::string_view json);

}  // namespace stepscope::server
