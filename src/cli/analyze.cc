// stepscope analyze: reports on the traces of a job.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/output_file.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct AnalyzeFlags {
  std::vector<std::string> paths;
  Question question;
  OutputFlags output;
  bool full = false;
};

int Run(const AnalyzeFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  auto answer = Answer(flags.paths, flags.question);
  if (!answer) return Fail(answer.error());
  OutputFlags output = flags.output;
  output.brief = !flags.full && flags.question.only.empty();
  return PrintAndJudge(*std::move(answer), output, *conditions);
}

}  // namespace

void AddAnalyze(Command& root) {
  auto flags = std::make_shared<AnalyzeFlags>();
  Command& command = root.Sub("analyze", "Report where training time goes");
  command.Argument("PATH", flags->paths,
                   "Traces: files, or directories (.json, .json.gz, .xplane.pb)");
  AddQuestion(command, flags->question);
  command.Switch("--full", flags->full);
  AddOutput(command, flags->output, "comm_overlap.exposed_ratio>20%");
  command.Examples(
      {{"all ranks of a job, all analyses", "stepscope analyze traces/"},
       {"one analysis of one rank", "stepscope analyze rank0.json.gz --only idle_time"},
       {"without truncated steps", "stepscope analyze traces/ --steps complete"},
       {"some steps, as JSON",
        "stepscope analyze traces/ --steps 12..15 --format json -o report.json"},
       {"another threshold",
        "stepscope analyze traces/ -p idle_time.consecutive_kernel_delay=50us"},
       {"exit 1 if less than half of communication overlaps",
        "stepscope analyze traces/ --fail-on 'comm_overlap.overlap_ratio<50%'"}});
  command.Runs([flags] { return Run(*flags); });
}

}  // namespace stepscope::cli
