// Runs the program on the words of a command line, for every face that is started by one.
#pragma once

#include <string>
#include <vector>

namespace stepscope::cli {

// Runs the command that `words` name, without the program's own name, and returns the exit code.
// Prints errors; throws nothing. Ignores SIGPIPE from then on: readers such as head close the pipe
// early.
int RunProgram(const std::vector<std::string>& words);

}  // namespace stepscope::cli
