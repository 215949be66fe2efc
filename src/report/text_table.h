// A table in the columns of a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout.h"

namespace stepscope {

// `text` broken between words: the first line takes at most `first` columns, the others `rest`. A
// word longer than that stays whole.
std::vector<std::string> WrapLines(std::string_view text, size_t first, size_t rest);

// The heading line, then one line a row, without trailing spaces. Numbers stand right and whole;
// where the table is wider than `width`, its widest text columns are shortened in the middle until
// it fits or they are as narrow as is still readable.
std::vector<std::string> AlignTable(const PageTable& table, size_t width);

}  // namespace stepscope
