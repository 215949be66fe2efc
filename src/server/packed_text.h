// Packs bytes as text of a page: deflated, then in base64, which is safe in HTML.
#pragma once

#include <string>

#include "server/deflate.h"

namespace stepscope::server {

// Of all that was added to it.
std::string PackedText(RawDeflater&& deflater);

// The digits of base64 for so many bytes.
constexpr size_t Base64Size(size_t bytes) { return (bytes + 2) / 3 * 4; }

}  // namespace stepscope::server
