// Reads a command line by the tree of commands.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "stepscope/result.h"

namespace stepscope::cli {

struct Parsed {
  const Command* command = nullptr;
  bool wants_help = false;
};

// Finds the command that `words` (without the program's name) start with, and stores its options.
// Asking for help stores nothing. Fails on what the command does not know, misses, or cannot read;
// nothing is run. Messages hide user names and passwords of addresses.
Result<Parsed> Parse(const Command& root, const std::vector<std::string>& words);

}  // namespace stepscope::cli
