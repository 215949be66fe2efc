// Generates secrets that two sides share, and compares them in constant time.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// 128 bits of the system's chance as 32 hexadecimal digits. Fails where the system has none to
// give.
Result<std::string> NewSecret();

// Takes as long whatever the difference, but for the length.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace stepscope
