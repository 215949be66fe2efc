// Runs the program: parses the command line, runs the command, returns its exit code.
#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "cli/help.h"
#include "cli/parser.h"
#include "cli/root.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

int Main(const std::vector<std::string>& words) {
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
}  // namespace stepscope::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return stepscope::cli::Main({argv + 1, argv + argc});
  } catch (const std::system_error& error) {
    // Readers such as head close the pipe early; that is not an error.
    if (error.code() == std::errc::broken_pipe) return stepscope::cli::kDone;
    stepscope::cli::PrintError({error.what(), "standard output", ""});
    return stepscope::cli::kFailed;
  } catch (const std::exception& error) {  // out of memory, or a defect
    stepscope::cli::PrintError({error.what(), "", "report this with the command and its input"});
    return stepscope::cli::kFailed;
  }
}
