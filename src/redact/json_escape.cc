// Decodes escapes one by one; of surrogates, pairs.
#include "redact/json_escape.h"

#include <cstdint>
#include <optional>

#include "redact/characters.h"

namespace stepscope::redact {
namespace {

std::optional<uint32_t> UnitAt(std::string_view json, size_t at) {
  if (at + 6 > json.size() || json[at] != '\\' || json[at + 1] != 'u') return std::nullopt;
  uint32_t unit = 0;
  for (size_t i = at + 2; i < at + 6; ++i) {
    const char c = json[i];
    if (!IsHex(c)) return std::nullopt;
    const int digit = IsDigit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
    unit = unit * 16 + static_cast<uint32_t>(digit);
  }
  return unit;
}

void AppendUtf8(std::string& out, uint32_t rune) {
  const auto put = [&](uint32_t byte) { out += static_cast<char>(byte); };
  if (rune < 0x80) return put(rune);
  if (rune < 0x800) {
    put(0xc0 | rune >> 6);
  } else {
    if (rune < 0x10000) {
      put(0xe0 | rune >> 12);
    } else {
      put(0xf0 | rune >> 18);
      put(0x80 | (rune >> 12 & 0x3f));
    }
    put(0x80 | (rune >> 6 & 0x3f));
  }
  put(0x80 | (rune & 0x3f));
}

}  // namespace

std::string Unescaped(std::string_view json) {
  constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
  std::string out;
  for (size_t at = 0; at < json.size();) {
    const size_t escape = json.find('\\', at);
    out += json.substr(at, escape - at);
    if (escape == json.npos) break;
    at = escape;
    if (const auto unit = UnitAt(json, at)) {
      const auto low = UnitAt(json, at + 6);
      const bool pair = *unit >> 10 == 0x36 && low && *low >> 10 == 0x37;
      AppendUtf8(out, pair ? 0x10000 + ((*unit & 0x3ff) << 10) + (*low & 0x3ff) : *unit);
      at += pair ? 12 : 6;
      continue;
    }
    const size_t known = at + 1 < json.size() ? kEscapes.find(json[at + 1]) : kEscapes.npos;
    if (known == kEscapes.npos) {
      out += json[at++];
      continue;
    }
    out += kMeanings[known];
    at += 2;
  }
  return out;
}

}  // namespace stepscope::redact
