// stepscope goodput jobs, import, export and compact: what there is to do with a ledger.
#include "stepscope/goodput_ledger.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/file_writer.h"
#include "cli/answer.h"
#include "cli/goodput.h"

namespace stepscope::cli {
namespace {

struct LedgerFlags {
  std::string store, job, keep_raw = "30d", format = "jsonl";
  std::vector<std::string> files;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

void AddStore(CLI::App& command, LedgerFlags& flags) {
  command.add_option("--store", flags.store, "The ledger: a folder, or postgresql://...")
      ->required()
      ->option_text("LEDGER");
}

int Print(const Result<ReportSet>& answer, const LedgerFlags& flags) {
  if (!answer) return Fail(answer.error());
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  return PrintAndJudge(*answer, flags.output, *conditions);
}

// "30d", "12h", "90m", "0s".
Result<int64_t> ParseKeep(const std::string& text) {
  constexpr std::pair<char, int64_t> kUnits[] = {
      {'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  for (const auto& [unit, seconds] : kUnits) {
    const bool fits = error == std::errc() && number >= 0 && number < 1'000'000'000 / seconds;
    if (fits && end + 1 == text.data() + text.size() && *end == unit) {
      return number * seconds * 1'000'000'000;
    }
  }
  return std::unexpected(Error{"cannot read how long to keep raw events: '" + text + "'",
                               "--keep-raw", "write a number and s, m, h, d or w, such as 30d"});
}

// To standard output or, so that nobody sees half of it, to a file that appears when it is whole.
Result<void> ExportTo(const GoodputExportOptions& options, const std::string& path) {
  if (path.empty() || path == "-") {
    return GoodputExport(options, [](std::string_view piece) -> Result<void> {
      if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
      return std::unexpected(
          Error{std::string("cannot write: ") + std::strerror(errno), "standard output", ""});
    });
  }
  GzipCompressor gzip;
  FileWriter file(path, path.ends_with(".gz") ? &gzip : nullptr);
  if (auto made = file.Create(); !made) return made;
  auto written = GoodputExport(options, [&](std::string_view piece) { return file.Append(piece); });
  if (written) written = file.Finish();
  if (written) written = file.CommitAndSync();
  return written;
}

int RunExport(const LedgerFlags& flags) {
  GoodputExportOptions options{.store = flags.store, .job = flags.job};
  if (flags.format == "csv") options.format = GoodputExportFormat::kCsv;
  if (flags.format == "openmetrics") options.format = GoodputExportFormat::kOpenMetrics;
  const auto written = ExportTo(options, flags.output.file);
  if (!written) return Fail(written.error());
  return std::fflush(stdout) == 0 || errno == EPIPE
             ? kDone
             : Fail({std::strerror(errno), "standard output", ""});
}

int RunCompact(const LedgerFlags& flags) {
  const auto keep = ParseKeep(flags.keep_raw);
  if (!keep) return Fail(keep.error());
  return Print(GoodputCompact({.store = flags.store, .keep_raw = *keep}), flags);
}

}  // namespace

void AddGoodputJobs(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<LedgerFlags>();
  CLI::App* command = goodput.add_subcommand("jobs", "List the jobs of a ledger");
  command->footer("\nExample:\n  stepscope goodput jobs --store ledger\n");
  AddStore(*command, *flags);
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback(
      [flags, &chosen] { chosen = [flags] { return Print(GoodputJobs(flags->store), *flags); }; });
}

void AddGoodputImport(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<LedgerFlags>();
  CLI::App* command = goodput.add_subcommand("import", "Put events into a ledger, each once");
  command->footer(R"(
Examples:
  stepscope goodput import job.jsonl.gz --store ledger
  stepscope goodput import logs/*.json --store ledger      Cloud Logging exports; again is harmless
  stepscope goodput import job.jsonl.gz --store postgresql://USER@HOST/DATABASE

A folder is made if need be, and so are tables, in the schema stepscope. A password is better left to
~/.pgpass or PGPASSWORD: others on this machine see the command line.
)");
  command->add_option("FILE", flags->files, "Files of events, in order (.jsonl, .json, .gz)")
      ->required()
      ->option_text("...");
  AddStore(*command, *flags);
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] {
    chosen = [flags] { return Print(GoodputImport(flags->store, flags->files), *flags); };
  });
}

void AddGoodputExport(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<LedgerFlags>();
  CLI::App* command = goodput.add_subcommand("export", "Write the events of a job of a ledger");
  command->footer(R"(
Examples:
  stepscope goodput export --store ledger --job NAME -o events.jsonl.gz      to import elsewhere
  stepscope goodput export --store ledger --job NAME --format csv
  stepscope goodput export --store ledger --job NAME --format openmetrics -o goodput.prom
)");
  AddStore(*command, *flags);
  command->add_option("--job", flags->job, "The job, where there are several")->option_text("NAME");
  command->add_option("--format", flags->format, "jsonl, csv, or openmetrics: the accounting")
      ->option_text("FORMAT [jsonl]")
      ->check(CLI::IsMember({"jsonl", "csv", "openmetrics"}));
  command
      ->add_option("-o,--output", flags->output.file,
                   "Write to this file instead of standard output; .gz is compressed")
      ->type_name("FILE");
  command->callback([flags, &chosen] { chosen = [flags] { return RunExport(*flags); }; });
}

void AddGoodputCompact(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<LedgerFlags>();
  CLI::App* command =
      goodput.add_subcommand("compact", "Roll up the old events of a ledger and remove them");
  command->footer(R"(
Example:
  stepscope goodput compact --store ledger --keep-raw 30d

The numbers of 'goodput report' stay the same; a --window of that time becomes exact to a minute.
What can no longer be asked of a job whose oldest events are rolled up: an --at before the raw ones,
--mode ml-goodput, and an export of its events.
)");
  AddStore(*command, *flags);
  command->add_option("--keep-raw", flags->keep_raw, "How old events must be: 30d, 12h, 0s")
      ->option_text("TIME [30d]");
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return RunCompact(*flags); }; });
}

}  // namespace stepscope::cli
