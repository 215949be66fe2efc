// stepscope compare: differences of two runs, or of two steps or ranks of one run.
#include "stepscope/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/output_file.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

struct CompareFlags {
  std::string a, b;
  Question question;
  std::string steps_before, steps_after;
  std::vector<int64_t> ranks_before, ranks_after;
  bool short_names = false, full = false;
  OutputFlags output;
};

// Names the option of one side that was given instead of the one for both.
Result<ReportSet> AnswerOf(const std::string& path, const Question& question, bool own_steps,
                           bool own_ranks, std::string_view side) {
  auto answer = Answer({path}, question);
  if (answer) return answer;
  Error error = std::move(answer).error();
  if (own_steps && error.where == "`steps`") error.where = fmt::format("`steps_{}`", side);
  if (own_ranks && error.where == "`ranks`") error.where = fmt::format("`ranks_{}`", side);
  return std::unexpected(std::move(error));
}

int RunCompare(const CompareFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  Question ask_a = flags.question, ask_b = flags.question;
  if (!flags.steps_before.empty()) ask_a.steps = flags.steps_before;
  if (!flags.steps_after.empty()) ask_b.steps = flags.steps_after;
  if (!flags.ranks_before.empty()) ask_a.ranks = flags.ranks_before;
  if (!flags.ranks_after.empty()) ask_b.ranks = flags.ranks_after;
  auto a =
      AnswerOf(flags.a, ask_a, !flags.steps_before.empty(), !flags.ranks_before.empty(), "before");
  if (!a) return Fail(a.error());
  auto b =
      AnswerOf(flags.b, ask_b, !flags.steps_after.empty(), !flags.ranks_after.empty(), "after");
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
  OutputFlags output = flags.output;
  const bool all = std::ranges::equal(flags.question.only, kComparedAnalyses);
  if (all) output.extent = TextStyle::Extent::kScreen;
  if (flags.full) output.extent = TextStyle::Extent::kAll;
  output.more = "More: stepscope serve BEFORE AFTER | stepscope compare BEFORE AFTER --full";
  return PrintAndJudge(Compare(*a, *b, {.short_names = flags.short_names}), output, *conditions);
}

}  // namespace

void AddCompare(Command& root) {
  auto flags = std::make_shared<CompareFlags>();
  flags->question.only = {kComparedAnalyses.begin(), kComparedAnalyses.end()};
  Command& command = root.Sub("compare", "Compare two runs, or two steps or ranks of one");
  command.Argument("BEFORE", flags->a, "Baseline run: a directory or a trace file");
  command.Argument("AFTER", flags->b, "Run to compare with it: a directory or a trace file");
  AddQuestion(command, flags->question);
  command.Take("--steps-before", flags->steps_before);
  command.Take("--steps-after", flags->steps_after);
  command.Take("--ranks-before", flags->ranks_before);
  command.Take("--ranks-after", flags->ranks_after);
  command.Switch("--short-names", flags->short_names);
  command.Switch("--full", flags->full);
  AddOutput(command, flags->output, "temporal_breakdown.idle:+5%");
  command.Examples(
      {{"what changed: steps, ranks, kernels", "stepscope compare before/ after/"},
       {"two steps of one run", "stepscope compare job/ job/ --steps-before 10 --steps-after 25"},
       {"two ranks of one run", "stepscope compare job/ job/ --ranks-before 0 --ranks-after 3"},
       {"kernels of two chips", "stepscope compare h100.json.gz mi300.json.gz --short-names"},
       {"exit 1 if idle time rose by 5%",
        "stepscope compare before/ after/ --fail-on 'temporal_breakdown.idle:+5%'"}});
  command.Runs([flags] { return RunCompare(*flags); });
}

}  // namespace stepscope::cli
