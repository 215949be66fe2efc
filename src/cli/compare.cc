// stepscope compare: what changed between two runs, or two steps or ranks of one.
#include "stepscope/compare.h"

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
  stepscope compare before/ after/              operators, kernels and breakdowns, what changed
  stepscope compare job/ job/ --steps-a 10 --steps-b 25
  stepscope compare job/ job/ --ranks-a 0 --ranks-b 3
  stepscope compare h100.json.gz mi300.json.gz --short-names
  stepscope compare before/ after/ --fail-on 'temporal_breakdown.idle:+5%'     exit code 1 if it is
)";

struct CompareFlags {
  std::string a, b;
  Question question;
  std::string steps_a, steps_b;
  std::vector<int64_t> ranks_a, ranks_b;
  bool short_names = false;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

int Run(const CompareFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  Question ask_a = flags.question, ask_b = flags.question;
  if (!flags.steps_a.empty()) ask_a.steps = flags.steps_a;
  if (!flags.steps_b.empty()) ask_b.steps = flags.steps_b;
  if (!flags.ranks_a.empty()) ask_a.ranks = flags.ranks_a;
  if (!flags.ranks_b.empty()) ask_b.ranks = flags.ranks_b;
  const auto a = Answer({flags.a}, ask_a);
  if (!a) return Fail(a.error());
  const auto b = Answer({flags.b}, ask_b);
  if (!b) return Fail(b.error());
  return PrintAndJudge(Compare(*a, *b, {.short_names = flags.short_names}), flags.output,
                       *conditions);
}

}  // namespace

void AddCompare(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<CompareFlags>();
  flags->question.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()};
  CLI::App* command = app.add_subcommand("compare", "Say what changed between two runs");
  command->footer(kExamples);
  command->add_option("A", flags->a, "The run to compare with: a folder or a trace file")
      ->required()
      ->option_text(" ");
  command->add_option("B", flags->b, "The run to look at: a folder or a trace file")
      ->required()
      ->option_text(" ");
  AddQuestion(*command, flags->question);
  command->add_option("--steps-a", flags->steps_a, "The steps of A, where they are others")
      ->option_text("STEPS");
  command->add_option("--steps-b", flags->steps_b, "The steps of B")->option_text("STEPS");
  command->add_option("--ranks-a", flags->ranks_a, "The ranks of A, where they are others")
      ->delimiter(',')
      ->option_text("N,...");
  command->add_option("--ranks-b", flags->ranks_b, "The ranks of B")
      ->delimiter(',')
      ->option_text("N,...");
  command->add_flag("--short-names", flags->short_names,
                    "Match kernels by name without template arguments and parameters");
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
