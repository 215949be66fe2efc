// Wraps text and aligns tables for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/layout.h"

namespace stepscope {

// Breaks `text` between words: the first line takes at most `first` columns, the others `rest`.
// Words longer than that stay whole.
std::vector<std::string> WrapLines(std::string_view text, size_t first, size_t rest);

// Returns the heading line and one line per row, without trailing spaces. Numbers are right-aligned
// and never shortened. If the table is wider than `width`, its widest text columns are shortened in
// the middle until it fits, or until they are as narrow as is still readable.
std::vector<std::string> AlignTable(const PageTable& table, size_t width);

}  // namespace stepscope
