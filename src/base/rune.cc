// Decodes by the table of well-formed UTF-8 (Unicode 3-7).
#include "base/rune.h"

#include <algorithm>
#include <array>

namespace stepscope {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr auto kControls = std::to_array<Range>({{0x00, 0x1f},
                                                 {0x7f, 0x9f},
                                                 {0xad, 0xad},
                                                 {0x61c, 0x61c},
                                                 {0x180e, 0x180e},
                                                 {0x200b, 0x200b},
                                                 {0x200e, 0x200f},
                                                 {0x2028, 0x202e},
                                                 {0x2060, 0x206f},
                                                 {0xfeff, 0xfeff},
                                                 {0xfff9, 0xfffb},
                                                 {0xe0000, 0xe007f}});

unsigned char ByteAt(std::string_view text, size_t at) {
  return static_cast<unsigned char>(text[at]);
}

// What a leading byte promises. `low`..`high` bounds the byte after it, which is where Unicode
// rules out overlong forms, surrogates and codes beyond U+10FFFF.
struct Lead {
  size_t length;
  char32_t bits;
  unsigned char low = 0x80;
  unsigned char high = 0xbf;
};

Lead ReadLead(unsigned char byte) {
  const char32_t code = byte;
  if (byte >= 0xc2 && byte <= 0xdf) return {2, code & 0x1f};
  if (byte == 0xe0) return {3, 0, 0xa0};
  if (byte == 0xed) return {3, 0xd, 0x80, 0x9f};
  if (byte >= 0xe1 && byte <= 0xef) return {3, code & 0xf};
  if (byte == 0xf0) return {4, 0, 0x90};
  if (byte >= 0xf1 && byte <= 0xf3) return {4, code & 0x7};
  if (byte == 0xf4) return {4, 4, 0x80, 0x8f};
  return {0, 0};
}

}  // namespace

Rune DecodeRune(std::string_view text, size_t at) {
  const unsigned char first = ByteAt(text, at);
  if (first < 0x80) return {.code = first};
  const Lead lead = ReadLead(first);
  char32_t code = lead.bits;
  for (size_t i = 1; i < lead.length; ++i) {
    if (at + i >= text.size()) return {.code = 0, .length = i, .valid = false};
    const unsigned char byte = ByteAt(text, at + i);
    const bool ok = i == 1 ? byte >= lead.low && byte <= lead.high : (byte & 0xc0) == 0x80;
    if (!ok) return {.code = 0, .length = i, .valid = false};
    code = (code << 6) | (byte & 0x3fu);
  }
  if (lead.length == 0) return {.code = 0, .length = 1, .valid = false};
  return {.code = code, .length = lead.length};
}

bool IsControl(char32_t code) {
  return std::ranges::any_of(kControls, [&](Range r) { return code >= r.first && code <= r.last; });
}

}  // namespace stepscope
