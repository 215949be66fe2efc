// Bytes as one raw deflate stream (RFC 1951), for what is written once and sent often.
#pragma once

#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope {

// A fifth of the speed of Gzip(), and a quarter smaller.
std::string Deflate(std::string_view bytes);

// The other way. Fails when they are no deflate stream, or not a whole one.
Result<std::string> Inflate(std::string_view deflated);

}  // namespace stepscope
