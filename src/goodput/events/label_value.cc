// Copies valid UTF-8 and replaces the rest.
#include "goodput/events/label_value.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/rune.h"

namespace stepscope {

std::string LabelValue(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Rune rune = DecodeRune(text, at);
    const std::string_view bytes = text.substr(at, rune.length);
    at += rune.length;
    if (!rune.valid) {
      for (const char c : bytes) out += fmt::format("\\\\x{:02x}", static_cast<uint8_t>(c));
    } else if (bytes == "\n") {
      out += "\\n";
    } else {
      if (bytes == "\\" || bytes == "\"") out += '\\';
      out += bytes;
    }
  }
  return out;
}

}  // namespace stepscope
