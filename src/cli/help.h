// Writes help texts from the tree of commands.
#pragma once

#include <string>

#include "cli/command.h"

namespace stepscope::cli {

// "--steps STEPS", "-o,--output FILE"; of an argument "PATH...".
std::string Spelling(const Option& option);

// "Steps to count (default: all)", with what is required.
std::string Explanation(const Option& option);

// "stepscope analyze PATH... [OPTIONS]".
std::string Usage(const Command& command);

// How TIME and SHARE are written, where `command` takes any; empty: it takes neither.
std::string ValueNotes(const Command& command);

// All that `command --help` prints.
std::string HelpOf(const Command& command);

}  // namespace stepscope::cli
