// Parses the command line, runs the command, and turns what is thrown into an exit code.
#include "cli/program.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <system_error>

#include "cli/help.h"
#include "cli/parser.h"
#include "cli/root.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

int RunWords(const std::vector<std::string>& words) {
  const auto root = Root();
  if (words.empty()) {
    fmt::print("{}", HelpOf(*root));
    return kFailed;
  }
  if (words.front() == "--version") {
    fmt::print("stepscope {}\n", STEPSCOPE_VERSION);
    return kDone;
  }
  const auto parsed = Parse(*root, words);
  if (!parsed) {
    PrintError(parsed.error());
    return kFailed;
  }
  if (!parsed->wants_help) return parsed->command->Run();
  fmt::print("{}", HelpOf(*parsed->command));
  return kDone;
}

}  // namespace

int RunProgram(const std::vector<std::string>& words) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return RunWords(words);
  } catch (const std::system_error& error) {
    // Readers such as head close the pipe early; that is not an error.
    if (error.code() == std::errc::broken_pipe) return kDone;
    PrintError({error.what(), "standard output", ""});
    return kFailed;
  } catch (const std::exception& error) {  // out of memory, or a defect
    PrintError({error.what(), "", "report this with the command and its input"});
    return kFailed;
  }
}

}  // namespace stepscope::cli
