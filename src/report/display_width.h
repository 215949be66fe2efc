// How wide printable text (base/printable.h) is in a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/rune.h"

namespace stepscope {

// Terminal columns of `printable`: 2 for East Asian wide characters and emoji, 0 for combining
// marks.
size_t DisplayWidth(std::string_view printable);

// Shortens `printable` to at most `width` columns, with "…" two thirds along, because both ends of
// a name identify it. `width` is at least 1.
std::string ShortenMiddle(std::string_view printable, size_t width);

}  // namespace stepscope
