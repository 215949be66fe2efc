// stepscope hang: which rank stopped a job, and where.
#include "stepscope/hang.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"
#include "stepscope/goodput_report.h"
#include "stepscope/goodput_watched.h"

namespace stepscope::cli {
namespace {

struct HangFlags {
  std::vector<std::string> paths;
  int threads = 0;
  int64_t ranks = 0;
  std::vector<std::string> goodput;
  std::string record, job;
  OutputFlags output;
};

// Keeps the cause with the job's events.
Result<void> Record(const ReportSet& answer, const HangFlags& flags) {
  const auto cause = HangCauseOf(answer);
  const std::string record = HangRecordOf(answer);
  if (!cause || record.empty()) {
    return std::unexpected(
        Error{"cannot record the hang: no root is certain, or the last operation "
              "has no time, or there are more than 100 roots",
              flags.paths.front(), "leave out --record to see the answer"});
  }
  auto log = WatchedLog::Open(flags.record, flags.job);
  if (!log) return std::unexpected(log.error());
  return log->Add(cause->time, record);
}

int RunHang(const HangFlags& flags) {
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  HangOptions options{.threads = flags.threads, .world_size = flags.ranks};
  if (!flags.goodput.empty()) {
    auto signs = GoodputSigns({.files = flags.goodput});
    if (!signs) return Fail(signs.error());
    options.signs = std::move(*signs);
  }
  auto answer = FindHang(flags.paths, options);
  if (answer && !flags.record.empty()) {
    if (const auto kept = Record(*answer, flags); !kept) return Fail(kept.error());
  }
  return PrintAndJudge(std::move(answer), flags.output);
}

}  // namespace

void AddHang(Command& root) {
  auto flags = std::make_shared<HangFlags>();
  Command& command = root.Sub("hang", "Find the rank that stopped a job, and where");
  command.Argument("PATH", flags->paths,
                   "Directory with a Flight Recorder dump per rank, and stacks");
  command.Take("--world-size", flags->ranks).Help("Processes of the job").Default("as dumps tell");
  command.Take("--goodput", flags->goodput)
      .Help("Events of the job, or a recorder's: who was silent first");
  command.Take("--record", flags->record);
  command.Take("--name", flags->job);
  AddThreads(command, flags->threads);
  AddOutput(command, flags->output, "hang.stuck>0");
  command.Examples(
      {{"dumps of all ranks", "stepscope hang /tmp/dumps"},
       {"with events of the job", "stepscope hang /tmp/dumps --goodput job.jsonl"},
       {"to keep the cause for 'stepscope goodput'", "stepscope hang /tmp/dumps --record events/"},
       {"as JSON", "stepscope hang /tmp/dumps --format json"}});
  command.Runs([flags] { return RunHang(*flags); });
}

}  // namespace stepscope::cli
