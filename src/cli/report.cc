// stepscope report: the page as one file.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "stepscope/server.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope report traces/ -o report.html              one file to send: it opens offline
  stepscope report before/ after/ -o report.html       several runs in one
  stepscope report traces/ ledger/ -o report.html      with a ledger of goodput

It holds all reports, and of the timeline as much detail as fits: the file says how much.
'stepscope serve' shows everything, and answers what is asked.
)";

struct ReportFlags {
  ReportPageOptions options;
  SettingsFlags settings;
  std::string file;
};

// What a reader of the file will find damaged, or not find.
void SayWhatIsMissing(const PageFile& page) {
  constexpr size_t kMostNamed = 5;
  for (const Error& error : page.failed) PrintError(error);
  size_t damaged = 0;
  for (const InputFile& input : page.inputs) {
    if (input.problem.empty() || ++damaged > kMostNamed) continue;
    fmt::print(stderr, "stepscope: {}: {}\n", input.path, input.problem);
  }
  if (damaged > kMostNamed)
    fmt::print(stderr, "stepscope: and {} more files are damaged\n", damaged - kMostNamed);
}

int Run(const ReportFlags& flags) {
  ReportPageOptions options = flags.options;
  auto settings = ReadSettings(flags.settings);
  if (!settings) return Fail(settings.error());
  options.settings = std::move(*settings);
  ProgressLine line;
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  if (const auto writable = CheckOutput(flags.file); !writable) return Fail(writable.error());
  const auto page = ReportPage(options);
  line.Clear();
  if (!page) return Fail(page.error());
  const auto written = WriteOutput(page->html, flags.file, page->inputs);
  if (!written) return Fail(written.error());
  SayWhatIsMissing(*page);
  if (!IsStandardOutput(flags.file)) {
    fmt::print(stderr, "{}: {:.1f} MB\n", flags.file, static_cast<double>(page->html.size()) / 1e6);
  }
  return kDone;
}

}  // namespace

void AddReport(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* command = app.add_subcommand("report", "Write it all as one HTML file");
  command->footer(kExamples);
  AddShownPaths(*command, flags->options.paths);
  command->add_option("-o,--output", flags->file, "The file to write; -: standard output")
      ->type_name("FILE")
      ->required();
  AddSettings(*command, flags->settings);
  AddThreads(*command, flags->options.threads);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
