// stepscope analyze: the main job.
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/commands.h"
#include "cli/output_file.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope analyze traces/                     all ranks of a job, everything there is to say
  stepscope analyze rank0.json.gz --only idle_time
  stepscope analyze traces/ --steps complete    without the steps that recording cut off
  stepscope analyze traces/ --steps 12..15 --format json -o report.json
  stepscope analyze traces/ -p idle_time.consecutive_kernel_delay=50000
  stepscope analyze traces/ --fail-on 'comm_overlap.overlap_ratio<0.5'      exit code 1 if it is
)";

struct AnalyzeFlags {
  std::vector<std::string> paths;
  Question question;
  OutputFlags output;
  std::vector<std::string> fail_on;
  bool full = false;
};

int Run(const AnalyzeFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  const auto answer = Answer(flags.paths, flags.question);
  if (!answer) return Fail(answer.error());
  OutputFlags output = flags.output;
  output.brief = !flags.full && flags.question.only.empty();
  return PrintAndJudge(*answer, output, *conditions);
}

}  // namespace

void AddAnalyze(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<AnalyzeFlags>();
  CLI::App* command = app.add_subcommand("analyze", "Say where the time of a job went");
  command->footer(kExamples);
  command
      ->add_option("PATH", flags->paths,
                   "A folder of traces or of TensorBoard's profiles, or files (.json, .json.gz, "
                   ".xplane.pb)")
      ->required()
      ->option_text("...");
  AddQuestion(*command, flags->question);
  command->add_flag("--full", flags->full, "Print every table, also when all analyses run");
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
