// Aligns tables for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/layout.h"

namespace stepscope {

// Returns the heading line and one line per row, without trailing spaces. Numbers are right-aligned
// and never shortened. If the table is wider than `width`, its widest text columns are shortened in
// the middle until it fits, or until they are as narrow as is still readable and tells names apart.
std::vector<std::string> AlignTable(const PageTable& table, size_t width);

// The same of a table that may be too wide with names as short as that: as several, one below the
// other, each with the keys and as many other columns as fit.
std::vector<std::vector<std::string>> AlignToFit(const PageTable& table, size_t width);

}  // namespace stepscope
