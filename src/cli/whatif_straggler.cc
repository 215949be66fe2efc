// stepscope whatif --straggler: what stragglers cost.
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/whatif.h"
#include "stepscope/whatif.h"

namespace stepscope::cli {

int RunWhatifStraggler(const std::vector<std::string>& paths, int threads,
                       const OutputFlags& output) {
  if (const auto writable = CheckOutput(output.file); !writable) return Fail(writable.error());
  ProgressLine line;
  auto answer = WhatIfStragglers(
      paths,
      {.threads = threads, .on_progress = [&](const Progress& progress) { line.Show(progress); }});
  line.Clear();
  return PrintAndJudge(std::move(answer), output);
}

}  // namespace stepscope::cli
