// Says which commands show more, so that they can be pasted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/phrase.h"

namespace stepscope::cli {

// The words as a shell takes them, with a space between: quoted where they need it.
std::string Pasted(const std::vector<std::string>& words);

// "More: a | b" where that fits a line, else a line for each command.
Phrase SayMore(const std::vector<std::string>& commands);

// Whether no line is longer than a screen shows.
bool FitsScreen(std::string_view text);

}  // namespace stepscope::cli
