// stepscope redact: writes traces and job events again without what is private.
#include "stepscope/redact.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/leaves_nothing.h"
#include "cli/redact_flags.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct RedactCommandFlags {
  std::vector<std::string> paths;
  RedactFilesOptions options;
  OutputFlags output;
};

Option& AddKeep(Command& command, std::vector<std::string>& keep) {
  return command.Take("--keep", keep)
      .Value("KIND,...")
      .Help("Keep hosts, users, paths, addresses or values")
      .Default("none")
      .Suggestions({"hosts", "users", "paths", "addresses", "values"});
}

}  // namespace

std::optional<RedactOptions> RedactionOf(const RedactFlags& flags) {
  if (flags.off) return std::nullopt;
  return flags.options;
}

void AddRedaction(Command& command, RedactFlags& flags) {
  command.Switch("--no-redact", flags.off);
  AddKeep(command, flags.options.keep).Excludes("--no-redact");
}

void AddRedact(Command& root) {
  auto flags = std::make_shared<RedactCommandFlags>();
  Command& command = root.Sub("redact", "Write traces again without private names");
  command.Argument("PATH", flags->paths, "Traces, job events, logs: files, or directories");
  command.Take("--output", flags->options.folder)
      .Value("DIR")
      .Help("Directory to write to: new, empty, or of an earlier call")
      .Required();
  AddKeep(command, flags->options.redact.keep);
  AddThreads(command, flags->options.threads);
  command.Take("--format", flags->output.format)
      .Choices({"text", "json", "csv", "markdown", "md"})
      .Default("text");
  command.Examples({{"a copy to share", "stepscope redact traces/ -o shared"},
                    {"keep the names of hosts", "stepscope redact traces/ -o shared --keep hosts"},
                    {"traces and job events, with the same pseudonyms",
                     "stepscope redact traces/ ledger/ -o shared"}});
  command.Notes(
      "Hosts, users, paths, addresses, environments, command lines and secrets become\n"
      "pseudonyms, the same in all files. Numbers and structure stay. Look through the result:\n"
      "docs/redact.md lists what cannot be recognized.");
  command.Runs([flags] {
    const LeavesNothing if_ended;
    return PrintAndJudge(Redact(flags->paths, flags->options), flags->output);
  });
}

}  // namespace stepscope::cli
