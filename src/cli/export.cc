// stepscope export: the traces again, for a viewer, with what was found out about them.
#include "stepscope/export.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope export traces/ -o out --counters           each trace with queue length and bandwidth
  stepscope export traces/ -o out --critical-path      ... with what decides how long a step takes
  stepscope export traces/ -o out --perfetto           all ranks in one file, their clocks aligned
  stepscope export traces/ -o small --steps 7 --ranks 0,3     only what is worth sending

Open the result at https://ui.perfetto.dev, or a .json.gz in chrome://tracing too.
)";

struct ExportFlags {
  std::vector<std::string> paths;
  ExportOptions options;
  bool perfetto = false, chrome = false;
  std::string format = "text";
};

int Run(const ExportFlags& flags) {
  ProgressLine line;
  ExportOptions options = flags.options;
  if (flags.perfetto) options.format = ExportFormat::kPerfetto;
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  const auto written = Export(flags.paths, options);
  line.Clear();
  if (!written) return Fail(written.error());
  return PrintAndJudge(*written, {.format = flags.format}, {});
}

}  // namespace

void AddExport(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command =
      app.add_subcommand("export", "Write the traces again for a viewer, with counters and more");
  command->footer(kExamples);
  command->add_option("PATH", flags->paths, "Folders of traces, or trace files")
      ->required()
      ->option_text("...");
  command->add_option("-o,--output", flags->options.folder, "The folder to write to")
      ->required()
      ->option_text("DIR");
  CLI::Option* chrome = command->add_flag("--chrome", flags->chrome,
                                          "A JSON trace for each rank, every argument kept, for "
                                          "Perfetto and chrome://tracing (default)");
  command
      ->add_flag("--perfetto", flags->perfetto,
                 "One trace in Perfetto's own format, all ranks on one axis of time")
      ->excludes(chrome);
  command->add_flag("--counters", flags->options.counters,
                    "Add the queue length of each stream and the bandwidth of copies");
  command->add_flag("--critical-path", flags->options.critical_path,
                    "Add the critical path of each rank's longest complete step");
  command->add_option("--steps", flags->options.steps, "Which steps: all, complete, N, or A..B")
      ->option_text("STEPS [all]");
  command->add_option("--ranks", flags->options.ranks, "Only these ranks, separated by commas")
      ->delimiter(',')
      ->option_text("N,...");
  command
      ->add_option("--format", flags->format,
                   "How to say what was written: text, json, csv, markdown")
      ->option_text("FORMAT [text]")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  AddThreads(*command, flags->options.threads);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
