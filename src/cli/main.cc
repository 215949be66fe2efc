// The command line's front: the list of subcommands, help and exit codes.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest_name.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

constexpr const char* kAbout =
    "Stepscope: where did the time of a training job go, and what should change?";
constexpr const char* kExamples = R"(
Examples:
  stepscope demo /tmp/job && stepscope analyze /tmp/job     a made-up job, to try things on
  stepscope analyze traces/                                 a folder with the traces of all ranks
  stepscope explain comm_overlap                            what a number counts

Exit codes: 0 done, 1 a condition of --fail-on holds, 2 could not (the message says what, where, and
what to try).
)";

// What to try after a command line that could not be read.
std::string Hint(const CLI::App& app, std::string_view first) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == first) return "stepscope " + command->get_name() + " --help";
    names.push_back(command->get_name());
  }
  const std::string nearest = NearestName(first, names);
  return nearest.empty() ? "stepscope --help" : "did you mean 'stepscope " + nearest + "'?";
}

// An argument that was not expected is repeated: of an address no user and password.
std::string WithoutPasswords(std::string text) {
  for (size_t at = 0; (at = text.find("://", at)) != text.npos; at += 3) {
    const size_t from = at + 3, space = text.find(' ', from);
    const size_t to = std::string_view(text).substr(0, space).rfind('@');
    if (to != text.npos && to > from) text.replace(from, to - from, "...");
  }
  return text;
}

int Main(int argc, char** argv) {
  CLI::App app(kAbout, "stepscope");
  app.footer(kExamples);
  app.require_subcommand(1);
  app.set_version_flag("--version", "stepscope " STEPSCOPE_VERSION);
  Command chosen;
  AddAnalyze(app, chosen);
  AddCompare(app, chosen);
  AddExport(app, chosen);
  AddServe(app, chosen);
  AddReport(app, chosen);
  AddList(app, chosen);
  AddExplain(app, chosen);
  AddDemo(app, chosen);
  AddGoodput(app, chosen);
  AddCompletions(app, chosen);
  if (argc == 1) {
    fmt::print("{}", app.help());
    return kCouldNot;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help and --version
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    PrintError({WithoutPasswords(error.what()), "", Hint(app, argv[1])});
    return kCouldNot;
  }
  return chosen();
}

}  // namespace
}  // namespace stepscope::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return stepscope::cli::Main(argc, argv);
  } catch (const std::exception& error) {  // out of memory, or a mistake of ours
    stepscope::cli::PrintError(
        {error.what(), "", "please report this with the command and its input"});
    return stepscope::cli::kCouldNot;
  }
}
