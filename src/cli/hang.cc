// stepscope hang: which rank stopped a job, and where.
#include "stepscope/hang.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"
#include "stepscope/goodput_report.h"

namespace stepscope::cli {
namespace {

struct HangFlags {
  std::vector<std::string> paths;
  int threads = 0;
  int64_t ranks = 0;
  std::vector<std::string> goodput;
  OutputFlags output;
};

int RunHang(const HangFlags& flags) {
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  HangOptions options{.threads = flags.threads, .world_size = flags.ranks};
  if (!flags.goodput.empty()) {
    auto signs = GoodputSigns({.files = flags.goodput});
    if (!signs) return Fail(signs.error());
    options.signs = std::move(*signs);
  }
  return PrintAndJudge(FindHang(flags.paths, options), flags.output);
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
  AddThreads(command, flags->threads);
  AddOutput(command, flags->output, "hang.stuck>0");
  command.Examples({{"dumps of all ranks", "stepscope hang /tmp/dumps"},
                    {"with events of the job", "stepscope hang /tmp/dumps --goodput job.jsonl"},
                    {"as JSON", "stepscope hang /tmp/dumps --format json"}});
  command.Runs([flags] { return RunHang(*flags); });
}

}  // namespace stepscope::cli
