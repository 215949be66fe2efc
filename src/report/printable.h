// Text from strangers, made fit to print: names in traces may hold terminal escape sequences, text
// that reorders its surroundings, or bytes that are no UTF-8 at all.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stepscope {

// One code point, or the bytes that fail to be one.
struct Rune {
  char32_t code = 0;  // meaningless unless `valid`
  size_t length = 1;  // bytes taken, at least 1
  bool valid = true;
};

// The rune that starts at text[at]; `at` must be inside `text`. Overlong forms, surrogates and cut
// sequences are invalid, and take as many bytes as one U+FFFD stands for.
Rune DecodeRune(std::string_view text, size_t at);

// Whether a code point steers instead of showing: C0 and C1 controls, line separators, direction
// overrides, invisible marks. All of them lie below U+10000. The joiners that Indic scripts and
// emoji need are not among them.
bool IsControl(char32_t code);

// Appends `text` as valid UTF-8 on one line: controls become \n, \t, \r, \x1b or \u202e, bytes that
// are no UTF-8 become \xNN.
void AppendPrintable(std::string& out, std::string_view text);
std::string Printable(std::string_view text);

// Terminal columns that `printable` takes: 2 for East Asian wide characters and emoji, 0 for marks
// that combine.
size_t DisplayWidth(std::string_view printable);

// `printable` in at most `width` columns: what does not fit is replaced by "…", two thirds on,
// since names say what they are at their front and which one at their end. `width` is at least 1.
std::string ShortenMiddle(std::string_view printable, size_t width);

}  // namespace stepscope
