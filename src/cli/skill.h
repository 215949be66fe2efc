// What an assistant should know to use the commands.
#pragma once

#include <string_view>

namespace stepscope::cli {

// Markdown with a header as skills have it, at most 150 lines.
std::string_view SkillText();

}  // namespace stepscope::cli
