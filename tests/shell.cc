// Runs it by popen(), with standard error in a file.
#include "tests/shell.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <stdexcept>

#include "tests/paths.h"
#include "tests/scratch.h"

namespace stepscope::testing {

Outcome Shell(const std::string& line) {
  const ScratchFolder folder;
  const std::string errors = folder.path() + "/stderr";
  const std::string script = std::string("stepscope() { '") + Binary() + "' \"$@\"; }; { " + line +
                             "\n} 2>'" + errors + "'";
  Outcome outcome;
  FILE* pipe = popen(script.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("no shell");
  char buffer[4096];
  for (size_t got = 0; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
    outcome.out.append(buffer, got);
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.err = Content(errors);
  return outcome;
}

Outcome Stepscope(const std::string& arguments) { return Shell("stepscope " + arguments); }

void ExecStepscope(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), Binary());
  std::vector<char*> argv;
  for (std::string& word : arguments) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

void ExpectError(const Outcome& outcome, const std::string& what, const std::string& hint) {
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("stepscope: ")) << outcome.err;
  EXPECT_TRUE(outcome.err.contains(what)) << outcome.err;
  EXPECT_TRUE(outcome.err.contains("  try:   ")) << outcome.err;
  EXPECT_TRUE(outcome.err.contains(hint)) << outcome.err;
}

}  // namespace stepscope::testing
