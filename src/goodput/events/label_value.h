// Escapes label values for Prometheus and OpenMetrics.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Escapes backslashes, quotes and line breaks, and writes each byte of invalid UTF-8 as \xNN: one
// such byte makes the whole page invalid.
std::string LabelValue(std::string_view text);

}  // namespace stepscope
