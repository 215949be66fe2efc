// Makes untrusted text printable: names in traces may contain terminal escape sequences, text
// direction controls, or bytes that are not UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/rune.h"

namespace stepscope {

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
