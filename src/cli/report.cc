// stepscope report: writes the page as one HTML file.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/printable.h"
#include "cli/answer.h"
#include "cli/output_file.h"
#include "cli/productivity_flags.h"
#include "cli/redact_flags.h"
#include "cli/root.h"
#include "cli/terminal.h"
#include "stepscope/server.h"

namespace stepscope::cli {
namespace {

struct ReportFlags {
  ReportPageOptions options;
  SettingsFlags settings;
  ProductivityFlags productivity;
  RedactFlags redact;
  std::string file, language;
};

// Prints inputs that are damaged or missing in the file.
void PrintProblems(const PageFile& page) {
  constexpr size_t kMostNamed = 5;
  for (const Error& error : page.failed) PrintError(error);
  size_t damaged = 0;
  for (const InputFile& input : page.inputs) {
    if (input.problem.empty() || ++damaged > kMostNamed) continue;
    Tell(fmt::format("{}: {}", input.path, input.problem));
  }
  if (damaged > kMostNamed)
    Tell(fmt::format("and {} more files are damaged", damaged - kMostNamed));
}

// A report by another format's name would open as that format.
Result<void> CheckIsPage(const std::string& file) {
  if (!file.ends_with(".json") && !file.ends_with(".csv") && !file.ends_with(".md")) return {};
  return std::unexpected(
      Error{"'report' writes a page in HTML", file,
            "name it .html; 'analyze --format json' and 'reduce -o FILE.json' write reports"});
}

int RunReport(const ReportFlags& flags) {
  if (const auto page = CheckIsPage(flags.file); !page) return Fail(page.error());
  ReportPageOptions options = flags.options;
  auto settings = ReadSettings(flags.settings);
  if (!settings) return Fail(settings.error());
  options.settings = std::move(*settings);
  auto goodput = ReadProductivityFlags(flags.productivity);
  if (!goodput) return Fail(goodput.error());
  options.goodput = std::move(*goodput);
  options.redact = RedactionOf(flags.redact);
  const Language language = LanguageOf(flags.language, true);
  if (!flags.language.empty() || language != Language::kEnglish) options.language = language;
  ProgressLine line;
  options.on_progress = [&](const Progress& progress) { line.Show(progress); };
  if (const auto writable = CheckOutput(flags.file); !writable) return Fail(writable.error());
  const auto page = ReportPage(options);
  line.Clear();
  if (!page) return Fail(page.error());
  const auto written = WriteOutput(page->html, flags.file, page->inputs);
  if (!written) return Fail(written.error());
  PrintProblems(*page);
  if (!IsStandardOutput(flags.file)) {
    ShowRaw(fmt::format("{}: {:.1f} MB\n", Printable(flags.file),
                        static_cast<double>(page->html.size()) / 1e6));
  }
  return kDone;
}

}  // namespace

void AddReport(Command& root) {
  auto flags = std::make_shared<ReportFlags>();
  Command& command = root.Sub("report", "Write the page as one HTML file");
  AddShownPaths(command, flags->options.paths);
  command.Take("--hang", flags->options.hangs);
  command.Take("--output", flags->file).Help("File to write; - is standard output").Required();
  AddSettings(command, flags->settings);
  AddRedaction(command, flags->redact);
  AddLanguage(command, flags->language);
  AddThreads(command, flags->options.threads);
  AddMaxInput(command, flags->options.max_input);
  command.Take("--most-rows", flags->options.most_rows).Range(0, 1e12);
  AddProductivityFlags(command, flags->productivity);
  command.Take("--job", flags->productivity.options.job)
      .Help("Job that --model, --chips and --scheduler-job are of")
      .Default("all");
  command.Examples({{"one file that opens offline", "stepscope report traces/ -o report.html"},
                    {"several runs", "stepscope report before/ after/ -o report.html"},
                    {"with a goodput ledger", "stepscope report traces/ ledger/ -o report.html"},
                    {"with queueing, MFU and cost of its jobs",
                     "stepscope report ledger/ -o report.html --scheduler sacct.txt --model "
                     "config.json --chip H100 --price-per-chip-hour 2.5"}});
  command.Notes(
      "The file holds all reports, and as much of the timeline as fits; it states how much.\n"
      "'stepscope serve' shows all details. Without --job, options of the chips and the\n"
      "model are of all jobs of ledgers. Private names become pseudonyms, as by\n"
      "'stepscope redact'.");
  command.Runs([flags] { return RunReport(*flags); });
}

}  // namespace stepscope::cli
