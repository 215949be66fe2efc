// stepscope goodput jobs, import, export and compact: commands on a ledger.
#include "stepscope/goodput_ledger.h"

#include <cerrno>
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
  std::string store, job, format = "jsonl";
  double keep_raw_s = 30 * 86400.0;
  std::vector<std::string> files;
  OutputFlags output;
};

void AddStore(Command& command, LedgerFlags& flags) {
  command.Take("--store", flags.store).Required();
}

// Writes to standard output, or to a file that appears when it is complete.
Result<void> ExportTo(const GoodputExportOptions& options, const std::string& path) {
  if (path.empty() || path == "-") {
    return GoodputExport(options, [](std::string_view piece) -> Result<void> {
      if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
      return std::unexpected(Error{std::string("cannot write: ") + std::strerror(errno),
                                   "standard output",
                                   "make space there, or write to a file with --output"});
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
             : Fail({std::string("cannot write: ") + std::strerror(errno), "standard output",
                     "make space there, or write to a file with --output"});
}

int RunCompact(const LedgerFlags& flags) {
  const auto keep_raw = static_cast<int64_t>(flags.keep_raw_s * 1e9);
  return PrintAndJudge(GoodputCompact({.store = flags.store, .keep_raw = keep_raw}), flags.output);
}

}  // namespace

void AddGoodputJobs(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("jobs", "List the jobs of a ledger");
  AddStore(command, *flags);
  AddOutput(command, flags->output, "goodput_jobs.goodput_ratio<90%");
  command.Examples({{"all jobs of a directory", "stepscope goodput jobs --store ledger"}});
  command.Runs([flags] { return PrintAndJudge(GoodputJobs(flags->store), flags->output); });
}

void AddGoodputImport(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("import", "Add events to a ledger; known events count once");
  command.Argument("FILE", flags->files, "Files of events, in order (.jsonl, .json, .gz)");
  AddStore(command, *flags);
  AddOutput(command, flags->output, "goodput_import.imported<1");
  command.Examples(
      {{"into a directory", "stepscope goodput import job.jsonl.gz --store ledger"},
       {"Cloud Logging exports", "stepscope goodput import logs/*.json --store ledger"},
       {"into PostgreSQL",
        "stepscope goodput import job.jsonl.gz --store postgresql://USER@HOST/DATABASE"}});
  command.Notes(
      "A missing directory is created, and so are tables, in the schema stepscope. Put passwords "
      "in\n"
      "~/.pgpass or PGPASSWORD: the process list shows the command line.");
  command.Runs(
      [flags] { return PrintAndJudge(GoodputImport(flags->store, flags->files), flags->output); });
}

void AddGoodputExport(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("export", "Write the events of a job of a ledger");
  AddStore(command, *flags);
  command.Take("--job", flags->job);
  command.Take("--format", flags->format)
      .Help("jsonl, csv, or openmetrics for the accounting")
      .Default("jsonl")
      .Choices({"jsonl", "csv", "openmetrics"});
  command.Take("--output", flags->output.file).Help("Write to this file; .gz is compressed");
  command.Examples(
      {{"to import elsewhere",
        "stepscope goodput export --store ledger --job NAME -o events.jsonl.gz"},
       {"as a table", "stepscope goodput export --store ledger --job NAME --format csv"},
       {"for Prometheus",
        "stepscope goodput export --store ledger --format openmetrics -o goodput.prom"}});
  command.Runs([flags] { return RunExport(*flags); });
}

void AddGoodputCompact(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("compact", "Roll up old events of a ledger and remove them");
  AddStore(command, *flags);
  command.Take("--keep-raw", flags->keep_raw_s).Range(0, 1e9);
  AddOutput(command, flags->output, "goodput_compact.removed_bytes<1GiB");
  command.Examples(
      {{"keep 30 days of events", "stepscope goodput compact --store ledger --keep-raw 30d"}});
  command.Notes(
      "Numbers of 'goodput analyze' stay the same. Within rolled-up time, --window is exact to a\n"
      "minute, and --at, --mode ml-goodput and an export of events are not available.");
  command.Runs([flags] { return RunCompact(*flags); });
}

}  // namespace stepscope::cli
