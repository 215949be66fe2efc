// Sets the spaces of Japanese beside other scripts.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// One space between Japanese and Latin letters, digits or %, none between two Japanese letters: a
// template does not know which of them its fields are.
std::string SpacedJapanese(std::string_view text);

}  // namespace stepscope
