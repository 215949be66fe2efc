// Writes words so that a shell reads them as they are.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace stepscope {

// The word, in quotes where it needs them; any bytes but a zero.
std::string ShellWord(std::string_view word);

// The words with a space between.
std::string ShellWords(std::span<const std::string> words);

}  // namespace stepscope
