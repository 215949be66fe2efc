// stepscope export: writes traces again for a viewer, with counters and the critical path.
#include "stepscope/export.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/redact_flags.h"
#include "cli/root.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

struct ExportFlags {
  std::vector<std::string> paths;
  ExportOptions options;
  bool perfetto = false, chrome = false;
  OutputFlags output;
  RedactFlags redact;
};

int RunExportTraces(const ExportFlags& flags) {
  ProgressLine line;
  ExportOptions options = flags.options;
  if (flags.perfetto) options.format = ExportFormat::kPerfetto;
  options.redact = RedactionOf(flags.redact);
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  auto written = Export(flags.paths, options);
  line.Clear();
  return PrintAndJudge(std::move(written), flags.output);
}

}  // namespace

void AddExport(Command& root) {
  auto flags = std::make_shared<ExportFlags>();
  Command& command = root.Sub("export", "Write traces again for a viewer, with counters");
  command.Argument("PATH", flags->paths, "Traces: files, or directories");
  command.Take("--output", flags->options.folder)
      .Value("DIR")
      .Help("Directory to write to")
      .Required();
  command.Take("--steps", flags->options.steps).Suggestions({"all", "complete"});
  command.Take("--ranks", flags->options.ranks);
  command.Switch("--chrome", flags->chrome);
  command.Switch("--perfetto", flags->perfetto).Excludes("--chrome");
  command.Switch("--counters", flags->options.counters);
  command.Switch("--critical-path", flags->options.critical_path);
  AddRedaction(command, flags->redact);
  AddThreads(command, flags->options.threads);
  command.Take("--format", flags->output.format)
      .Choices({"text", "json", "csv", "markdown", "md"})
      .Default("text");
  command.Examples(
      {{"add queue length and bandwidth to each trace",
        "stepscope export traces/ -o out --counters"},
       {"add the critical path", "stepscope export traces/ -o out --critical-path"},
       {"all ranks in one file, on one clock", "stepscope export traces/ -o out --perfetto"},
       {"one step of two ranks", "stepscope export traces/ -o small --steps 7 --ranks 0,3"}});
  command.Notes(
      "Open the result at https://ui.perfetto.dev, or a .json.gz in chrome://tracing.\n"
      "Private names become pseudonyms, as by 'stepscope redact'.");
  command.Runs([flags] { return RunExportTraces(*flags); });
}

}  // namespace stepscope::cli
