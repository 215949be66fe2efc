// stepscope whatif: what a job would be if something were otherwise.
#include "cli/whatif.h"

#include <memory>

#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct WhatifFlags {
  std::vector<std::string> paths;
  bool straggler = false;
  int threads = 0;
  OutputFlags output;
};

int RunWhatif(const WhatifFlags& flags) {
  if (flags.straggler) return RunWhatifStraggler(flags.paths, flags.threads, flags.output);
  return Fail({"missing what to ask", "", "--straggler: what stragglers cost"});
}

}  // namespace

void AddWhatif(Command& root) {
  auto flags = std::make_shared<WhatifFlags>();
  Command& command = root.Sub("whatif", "Estimate steps if something were otherwise");
  command.Argument("PATH", flags->paths, "Traces, or operations of a job (.parquet)");
  command.Switch("--straggler", flags->straggler);
  AddThreads(command, flags->threads);
  AddOutput(command, flags->output, "whatif.slowdown>1.1");
  command.Examples(
      {{"cost of stragglers, from traces of all ranks", "stepscope whatif --straggler traces/"},
       {"the same, from the operations of a job",
        "stepscope whatif --straggler trace-AR.parquet"}});
  command.Runs([flags] { return RunWhatif(*flags); });
}

}  // namespace stepscope::cli
