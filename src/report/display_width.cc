// Measures how many columns of a terminal text takes, and shortens it to fewer.
#include "report/display_width.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace stepscope {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

constexpr auto kCombining = std::to_array<Range>({{0x300, 0x36f},
                                                  {0x483, 0x489},
                                                  {0x591, 0x5bd},
                                                  {0x610, 0x61a},
                                                  {0x64b, 0x65f},
                                                  {0x1ab0, 0x1aff},
                                                  {0x1dc0, 0x1dff},
                                                  {0x200c, 0x200d},
                                                  {0x20d0, 0x20ff},
                                                  {0xfe00, 0xfe0f},
                                                  {0xfe20, 0xfe2f}});

constexpr auto kWide = std::to_array<Range>({{0x1100, 0x115f},
                                             {0x2e80, 0x303e},
                                             {0x3041, 0xa4cf},
                                             {0xac00, 0xd7a3},
                                             {0xf900, 0xfaff},
                                             {0xfe30, 0xfe6f},
                                             {0xff00, 0xff60},
                                             {0xffe0, 0xffe6},
                                             {0x1f300, 0x1f64f},
                                             {0x1f680, 0x1f6ff},
                                             {0x1f900, 0x1f9ff},
                                             {0x20000, 0x3fffd}});

bool Within(char32_t code, std::span<const Range> ranges) {
  return std::ranges::any_of(ranges, [&](Range r) { return code >= r.first && code <= r.last; });
}

size_t RuneWidth(char32_t code) {
  if (code < 0x300) return 1;
  if (Within(code, kCombining)) return 0;
  return Within(code, kWide) ? 2 : 1;
}

// As much of `text`, from its start or its end, as fits into `width` columns.
std::string_view Head(std::string_view text, size_t width) {
  size_t at = 0;
  while (at < text.size()) {
    const Rune rune = DecodeRune(text, at);
    const size_t wide = RuneWidth(rune.code);
    if (wide > width) break;
    width -= wide;
    at += rune.length;
  }
  return text.substr(0, at);
}

std::string_view Tail(std::string_view text, size_t width) {
  size_t skip = DisplayWidth(text);
  size_t at = 0;
  while (at < text.size() && skip > width) {
    const Rune rune = DecodeRune(text, at);
    skip -= RuneWidth(rune.code);
    at += rune.length;
  }
  return text.substr(at);
}

}  // namespace

size_t DisplayWidth(std::string_view printable) {
  size_t width = 0;
  for (size_t at = 0; at < printable.size();) {
    const Rune rune = DecodeRune(printable, at);
    width += RuneWidth(rune.code);
    at += rune.length;
  }
  return width;
}

std::string ShortenMiddle(std::string_view printable, size_t width) {
  if (DisplayWidth(printable) <= width) return std::string(printable);
  const size_t room = width > 0 ? width - 1 : 0;
  const size_t behind = room / 3;
  const std::string_view head = Head(printable, room - behind);
  const std::string_view tail = Tail(printable, behind);
  return fmt::format("{}…{}", head, tail);
}

}  // namespace stepscope
