// Bytes as one raw deflate stream (RFC 1951), for what is written once and sent often.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// A fifth of the speed of Gzip(), which packs what is sent at once, and a quarter smaller.
std::string Deflate(std::string_view bytes);

}  // namespace stepscope
