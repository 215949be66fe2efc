// JSON that is ours, made to fit into a page.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::server {

// Without the space between tokens. REQUIRES: `json` is valid.
std::string CompactJson(std::string_view json);

// The same JSON in a form that a <script type="application/json"> can hold whatever its texts say:
// nothing in it ends the element or begins a comment.
std::string ScriptSafeJson(std::string_view json);

}  // namespace stepscope::server
