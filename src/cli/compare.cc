// stepscope compare: differences of two runs, or of two steps or ranks of one run.
#include "stepscope/compare.h"

#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/output_file.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct CompareFlags {
  std::string a, b;
  Question question;
  std::string steps_a, steps_b;
  std::vector<int64_t> ranks_a, ranks_b;
  bool short_names = false;
  OutputFlags output;
};

int RunCompare(const CompareFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  Question ask_a = flags.question, ask_b = flags.question;
  if (!flags.steps_a.empty()) ask_a.steps = flags.steps_a;
  if (!flags.steps_b.empty()) ask_b.steps = flags.steps_b;
  if (!flags.ranks_a.empty()) ask_a.ranks = flags.ranks_a;
  if (!flags.ranks_b.empty()) ask_b.ranks = flags.ranks_b;
  auto a = Answer({flags.a}, ask_a);
  if (!a) return Fail(a.error());
  auto b = Answer({flags.b}, ask_b);
  if (!b) return Fail(b.error());
  if (ask_a.ranks.empty() && ask_b.ranks.empty()) {
    const auto ranks = RanksToCompare(*a, *b);
    if (!ranks) return Fail(ranks.error());
    if (!ranks->empty()) {
      ask_a.ranks = ask_b.ranks = *ranks;
      if (a = Answer({flags.a}, ask_a); !a) return Fail(a.error());
      if (b = Answer({flags.b}, ask_b); !b) return Fail(b.error());
    }
  }
  return PrintAndJudge(Compare(*a, *b, {.short_names = flags.short_names}), flags.output,
                       *conditions);
}

}  // namespace

void AddCompare(Command& root) {
  auto flags = std::make_shared<CompareFlags>();
  flags->question.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()};
  Command& command = root.Sub("compare", "Compare two runs, or two steps or ranks of one");
  command.Argument("BEFORE", flags->a, "Baseline run: a directory or a trace file");
  command.Argument("AFTER", flags->b, "Run to compare with it: a directory or a trace file");
  AddQuestion(command, flags->question);
  command.Take("--steps-a", flags->steps_a);
  command.Take("--steps-b", flags->steps_b);
  command.Take("--ranks-a", flags->ranks_a);
  command.Take("--ranks-b", flags->ranks_b);
  command.Switch("--short-names", flags->short_names);
  AddOutput(command, flags->output, "temporal_breakdown.idle:+5%");
  command.Examples(
      {{"what changed: steps, ranks, kernels", "stepscope compare before/ after/"},
       {"two steps of one run", "stepscope compare job/ job/ --steps-a 10 --steps-b 25"},
       {"two ranks of one run", "stepscope compare job/ job/ --ranks-a 0 --ranks-b 3"},
       {"kernels of two chips", "stepscope compare h100.json.gz mi300.json.gz --short-names"},
       {"exit 1 if idle time rose by 5%",
        "stepscope compare before/ after/ --fail-on 'temporal_breakdown.idle:+5%'"}});
  command.Runs([flags] { return RunCompare(*flags); });
}

}  // namespace stepscope::cli
