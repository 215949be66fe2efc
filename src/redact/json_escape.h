// Reads the escapes of JSON texts.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::redact {

// The text that stands between quotes as `json`; escapes that are none stay as they are.
std::string Unescaped(std::string_view json);

}  // namespace stepscope::redact
