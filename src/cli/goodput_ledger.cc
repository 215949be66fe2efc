// stepscope goodput jobs, import, export, compact, rename, delete and fleet: commands on a ledger.
#include "stepscope/goodput_ledger.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/file_writer.h"
#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/goodput.h"
#include "stepscope/goodput_fleet.h"
#include "stepscope/goodput_report.h"

namespace stepscope::cli {
namespace {

struct LedgerFlags {
  std::string store, job, to, format = "jsonl";
  bool join = false, yes = false, group_readable = false, dry_run = false;
  double keep_raw_s = 30 * 86400.0;
  int64_t max_input = 0;
  std::vector<std::string> files;
  OutputFlags output;
};

void AddStore(Command& command, LedgerFlags& flags) {
  command.Take("--store", flags.store).Required();
}

// Writes to standard output, or to a file that appears when it is complete.
Result<void> ExportTo(const GoodputExportOptions& options, const std::string& path) {
  if (path.empty() || path == "-") {
    bool gone = false;  // a reader such as head: not an error
    auto written = GoodputExport(options, [&gone](std::string_view piece) -> Result<void> {
      if (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) return {};
      gone = errno == EPIPE;
      return std::unexpected(Error{std::string("cannot write: ") + std::strerror(errno),
                                   "standard output",
                                   "make space there, or write to a file with --output"});
    });
    return gone ? Result<void>() : written;
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
  GoodputExportOptions options{
      .store = flags.store, .job = flags.job, .on_problem = [](const std::string& sentence) {
        fmt::print(stderr, "stepscope: {}\n", sentence);
      }};
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
  const int64_t keep_raw = Nanoseconds(flags.keep_raw_s);
  return PrintAndJudge(GoodputCompact({.store = flags.store, .keep_raw = keep_raw}), flags.output);
}

struct FleetFlags {
  GoodputFleetOptions options;
  std::string window, at;
  OutputFlags output;
};

int RunFleet(const FleetFlags& flags) {
  GoodputFleetOptions options = flags.options;
  if (!flags.window.empty()) {
    const auto window = ParseGoodputInterval(flags.window);
    if (!window) return Fail(window.error());
    options.window = *window;
  }
  if (!flags.at.empty()) {
    const auto at = ParseGoodputTime(flags.at);
    if (!at) return Fail(at.error());
    options.at = *at;
  }
  return PrintAndJudge(GoodputFleet(options), flags.output);
}

// 1: there are faults.
int RunCheck(const LedgerFlags& flags) {
  const auto answer = GoodputCheck(flags.store);
  const bool faults = answer && !answer->reports.front().tables.front().rows.empty();
  const int code = PrintAndJudge(answer, flags.output);
  return code == kDone && faults ? kConditionHolds : code;
}

int RunDelete(const LedgerFlags& flags) {
  if (!flags.yes) {
    return Fail({"deleting a job cannot be undone", flags.job, "add --yes, after an export"});
  }
  return PrintAndJudge(GoodputDelete(flags.store, flags.job), flags.output);
}

}  // namespace

void AddGoodputRename(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("rename", "Give a job of a ledger another name");
  AddStore(command, *flags);
  command.Take("--job", flags->job).Help("Job to rename").Required();
  command.Take("--new-name", flags->to).Required();
  command.Switch("--join", flags->join);
  AddOutput(command, flags->output, "goodput_edit.segments<1");
  command.Examples(
      {{"put a job under a team",
        "stepscope goodput rename --store ledger --job llm-7b --new-name nlp/llm-7b"}});
  command.Runs([flags] {
    return PrintAndJudge(GoodputRename(flags->store, flags->job, flags->to, flags->join),
                         flags->output);
  });
}

void AddGoodputDelete(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("delete", "Delete a job of a ledger with all its events");
  AddStore(command, *flags);
  command.Take("--job", flags->job).Help("Job to delete").Required();
  command.Switch("--yes", flags->yes);
  AddOutput(command, flags->output, "goodput_edit.segments<1");
  command.Examples(
      {{"a job that was a mistake", "stepscope goodput delete --store ledger --job test --yes"}});
  command.Runs([flags] { return RunDelete(*flags); });
}

void AddGoodputFleet(Command& goodput) {
  auto flags = std::make_shared<FleetFlags>();
  GoodputFleetOptions& options = flags->options;
  Command& command = goodput.Sub("fleet", "Report the goodput of all jobs of a ledger by team");
  command.Take("--store", options.store).Required();
  command.Take("--by", options.by);
  command.Switch("--week", options.weekly);
  command.Take("--window", flags->window);
  command.Take("--at", flags->at);
  command.Take("--chips-per-job", options.chips_per_job).Range(0, 1e9);
  command.Take("--price-per-chip-hour", options.price_per_chip_hour).Range(0, 1e9);
  AddOutput(command, flags->output, "goodput_fleet.goodput_ratio<80%");
  command.Examples(
      {{"each team, each week",
        "stepscope goodput fleet --store ledger --by team --week --price-per-chip-hour 2.5"},
       {"by queue, one day",
        "stepscope goodput fleet --store ledger --by queue --window 1780000000..1780086400"}});
  command.Notes(
      "Labels are recorded: set STEPSCOPE_LABELS=team=nlp,project=llm in the job's environment.\n"
      "User, account, queue and cluster of a Slurm job are recorded without it.");
  command.Runs([flags] { return RunFleet(*flags); });
}

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
  command.Argument("FILE", flags->files, "Files of events, in order, or a recorder's directory");
  AddStore(command, *flags);
  command.Switch("--group-readable", flags->group_readable);
  AddMaxInput(command, flags->max_input);
  AddOutput(command, flags->output, "goodput_import.imported<1");
  command.Examples(
      {{"into a directory", "stepscope goodput import job.jsonl.gz --store ledger"},
       {"a recorder's directory", "stepscope goodput import /shared/goodput --store ledger"},
       {"Cloud Logging exports", "stepscope goodput import logs/*.json --store ledger"},
       {"into PostgreSQL",
        "stepscope goodput import job.jsonl.gz --store postgresql://USER@HOST/DATABASE"}});
  command.Notes(
      "A missing directory is created, and so are tables, in the schema stepscope. Put passwords "
      "in\n"
      "~/.pgpass or PGPASSWORD: the process list shows the command line.");
  command.Runs([flags] {
    return PrintAndJudge(
        GoodputImport(flags->store, flags->files, flags->group_readable, flags->max_input),
        flags->output);
  });
}

void AddGoodputCheck(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("check", "Check a ledger for damaged and missing segments");
  command.Argument("STORE", flags->store, "Ledger: a directory or a postgresql:// address");
  AddOutput(command, flags->output, "goodput_check.faults>0");
  command.Examples({{"a directory", "stepscope goodput check ledger"}});
  command.Notes("Exit status 1: there are faults.");
  command.Runs([flags] { return RunCheck(*flags); });
}

void AddGoodputRepair(Command& goodput) {
  auto flags = std::make_shared<LedgerFlags>();
  Command& command = goodput.Sub("repair", "Repair a ledger; set damaged files aside");
  command.Argument("STORE", flags->store, "Ledger: a directory");
  command.Switch("--dry-run", flags->dry_run).Help("Only tell what would be done");
  AddOutput(command, flags->output, "goodput_repair.lost_events>0");
  command.Examples({{"what it would do", "stepscope goodput repair ledger --dry-run"},
                    {"repair", "stepscope goodput repair ledger"}});
  command.Notes("Nothing is deleted: damaged files stay as FILE.damaged.");
  command.Runs([flags] {
    return PrintAndJudge(GoodputRepair(flags->store, flags->dry_run), flags->output);
  });
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
