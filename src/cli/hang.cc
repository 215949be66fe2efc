// stepscope hang: which rank stopped a job, and where.
#include "stepscope/hang.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct HangFlags {
  std::vector<std::string> paths;
  int threads = 0;
  int64_t ranks = 0;
  OutputFlags output;
};

int RunHang(const HangFlags& flags) {
  if (const auto writable = CheckOutput(flags.output); !writable) return Fail(writable.error());
  return PrintAndJudge(FindHang(flags.paths, {.threads = flags.threads, .world_size = flags.ranks}),
                       flags.output);
}

}  // namespace

void AddHang(Command& root) {
  auto flags = std::make_shared<HangFlags>();
  Command& command = root.Sub("hang", "Find the rank that stopped a job, and where");
  command.Argument("PATH", flags->paths, "Directory with one Flight Recorder dump per rank");
  command.Take("--world-size", flags->ranks).Help("Processes of the job").Default("as dumps tell");
  AddThreads(command, flags->threads);
  AddOutput(command, flags->output, "hang.stuck>0");
  command.Examples({{"dumps of all ranks", "stepscope hang /tmp/dumps"},
                    {"as JSON", "stepscope hang /tmp/dumps --format json"}});
  command.Runs([flags] { return RunHang(*flags); });
}

}  // namespace stepscope::cli
