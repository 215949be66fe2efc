// Bytes as text of a page: deflated, then in base64, which no HTML misunderstands.
#pragma once

#include <string>
#include <string_view>

namespace stepscope::server {

std::string PackedText(std::string_view bytes);

// The digits of base64 for so many bytes.
constexpr size_t Base64Size(size_t bytes) { return (bytes + 2) / 3 * 4; }

}  // namespace stepscope::server
