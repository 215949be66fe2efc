// stepscope whatif: what changes of a job would be worth.
#include "cli/whatif.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct WhatifFlags {
  std::vector<std::string> paths;
  std::vector<std::string> set;
  bool straggler = false;
  Question question;
  OutputFlags output;
};

// Operations of a job can be asked nothing else.
bool AreOperations(const std::vector<std::string>& paths) {
  return !paths.empty() &&
         std::ranges::all_of(paths, [](const auto& path) { return path.ends_with(".parquet"); });
}

int RunWhatif(const WhatifFlags& flags) {
  if (const auto format = FormatOf(flags.output); !format) return Fail(format.error());
  if (flags.straggler || (flags.set.empty() && AreOperations(flags.paths))) {
    if (flags.question.steps != "all" || !flags.question.ranks.empty())
      return Fail({"--straggler compares all ranks in all steps", "--steps, --ranks", ""});
    return RunWhatifStraggler(flags.paths, flags.question.threads, flags.output);
  }
  Question question = flags.question;
  question.only = {"whatif"};
  std::string set;
  for (const std::string& change : flags.set) set += (set.empty() ? "" : "; ") + change;
  if (!set.empty()) question.settings.params.push_back("whatif.set=" + set);
  return PrintAndJudge(Answer(flags.paths, question), flags.output);
}

}  // namespace

void AddWhatif(Command& root) {
  auto flags = std::make_shared<WhatifFlags>();
  Command& command = root.Sub("whatif", "Replay a job with changes, and say what each is worth");
  command.Argument("PATH", flags->paths, "Traces of all ranks, or operations (.parquet)");
  command.Take("--set", flags->set);
  command.Switch("--straggler", flags->straggler).Excludes("--set");
  AddSelection(command, flags->question);
  AddOutput(command, flags->output, "whatif.error_ratio>5%");
  command.Examples(
      {{"what is worth most", "stepscope whatif traces/"},
       {"a slow rank as its peers",
        "stepscope whatif traces/ --set 'rank 9: all = median of ranks'"},
       {"two changes, each and together",
        "stepscope whatif traces/ --set 'kernel *gemm*: x0.7' --set 'link: x2'"},
       {"as JSON", "stepscope whatif traces/ --set 'input: no wait' --format json"},
       {"cost of stragglers, from traces of all ranks", "stepscope whatif --straggler traces/"},
       {"the same, from the operations of a job", "stepscope whatif trace-AR.parquet"}});
  command.Notes("'stepscope explain whatif' lists all changes.");
  command.Runs([flags] { return RunWhatif(*flags); });
}

}  // namespace stepscope::cli
