// Bytes as one gzip member, all in memory.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// Fast rather than small: some hundred MB a second.
std::string Gzip(std::string_view bytes);

// The other way. Fails when they are no gzip, or damaged.
Result<std::string> Gunzip(std::string_view gzip);

}  // namespace stepscope
