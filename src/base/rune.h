// Decodes UTF-8 that may be invalid.
#pragma once

#include <cstddef>
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

}  // namespace stepscope
