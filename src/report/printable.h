// Makes untrusted text printable: names in traces may contain terminal escape sequences, text
// direction controls, or bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// One code point, or bytes that are not one.
struct Rune {
  char32_t code = 0;  // meaningless unless `valid`
  size_t length = 1;  // bytes taken, at least 1
  bool valid = true;
};

// The rune that starts at text[at]; `at` must be inside `text`. Overlong forms, surrogates and cut
// sequences are invalid, and take as many bytes as one U+FFFD replaces.
Rune DecodeRune(std::string_view text, size_t at);

// Whether a code point controls the display: C0 and C1 controls, line separators, direction
// overrides, invisible marks. All are below U+10000. The joiners that Indic scripts and emoji need
// are not included.
bool IsControl(char32_t code);

// Appends `text` as valid UTF-8 on one line: controls become \n, \t, \r, \x1b or \u202e, bytes that
// are not UTF-8 become \xNN.
void AppendPrintable(std::string& out, std::string_view text);
std::string Printable(std::string_view text);

// Terminal columns of `printable`: 2 for East Asian wide characters and emoji, 0 for combining
// marks.
size_t DisplayWidth(std::string_view printable);

// Shortens `printable` to at most `width` columns, with "…" two thirds along, because both ends of
// a name identify it. `width` is at least 1.
std::string ShortenMiddle(std::string_view printable, size_t width);

}  // namespace stepscope
