// Makes valid UTF-8 of any bytes.
#pragma once

#include <string>
#include <string_view>

#include "base/rune.h"

namespace stepscope {

// Appends `text` with U+FFFD for each piece that is not UTF-8.
inline void AppendValidUtf8(std::string& out, std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text, at);
    out += rune.valid ? text.substr(at, rune.length) : std::string_view("\uFFFD");
    at += rune.length;
  }
}

}  // namespace stepscope
