// Runs the binary as a user does, in a shell.
#pragma once

#include <string>
#include <vector>

namespace stepscope::testing {

struct Outcome {
  int code = -1;  // exit code, or 128 plus the signal
  std::string out, err;
};

// Runs a line of shell in which `stepscope` is the binary.
Outcome Shell(const std::string& line);
Outcome Stepscope(const std::string& arguments);

// Replaces this process, a forked child, by the binary; 127 where there is none.
[[noreturn]] void ExecStepscope(std::vector<std::string> arguments);

// Expects an error that tells what, where and what to try, and nothing on standard output.
void ExpectError(const Outcome& outcome, const std::string& what, const std::string& hint);

}  // namespace stepscope::testing
