// Wraps text for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

// Breaks `text` between words, and between letters of scripts that do without spaces: the first
// line takes at most `first` columns, the others `rest`. Words longer than that stay whole.
std::vector<std::string> WrapLines(std::string_view text, size_t first, size_t rest);

// `line` without its last word.
std::string WithoutLastWord(std::string_view line);

}  // namespace stepscope
