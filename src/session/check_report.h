// Checks what others than our analyses made: CheckReport() of stepscope/plugin.h, and keys.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// Fails unless it is snake_case: a letter, then letters, digits and underscores, all small. `what`
// it is the key of: "parameter".
Result<void> CheckKey(std::string_view key, std::string_view what, const std::string& where);

}  // namespace stepscope
