// Runs a program of the system, and keeps what it printed.
#pragma once

#include <string>
#include <vector>

#include "stepscope/result.h"

namespace stepscope {

struct CommandOutcome {
  int code = -1;  // exit code, or 128 plus the signal
  std::string out, err;
};

// Runs the program that PATH has under the first word, and waits for its end. Fails where there is
// none, or none can be started; its exit code is the caller's to judge.
Result<CommandOutcome> RunCommand(std::vector<std::string> words);

}  // namespace stepscope
