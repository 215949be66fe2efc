// stepscope compare: differences of two runs, or of two steps or ranks of one run.
#include "stepscope/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/more.h"
#include "cli/output_file.h"
#include "cli/root.h"
#include "stepscope/plugin.h"

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
Result<std::shared_ptr<const ReportSet>> AnswerOf(const std::string& path, Question question,
                                                  const std::vector<int64_t>& ranks, bool own_steps,
                                                  bool own_ranks, std::string_view side) {
  if (!ranks.empty()) question.ranks = ranks;
  auto answer = Answer({path}, question);
  if (answer) return std::make_shared<const ReportSet>(*std::move(answer));
  Error error = std::move(answer).error();
  if (own_steps && error.where == "`steps`") error.where = fmt::format("`steps_{}`", side);
  if (own_ranks && error.where == "`ranks`") error.where = fmt::format("`ranks_{}`", side);
  return std::unexpected(std::move(error));
}

// "rank 3", "ranks 0 to 3", "ranks 0, 2 and 5"; of none, all.
Phrase SayRanks(std::vector<int64_t> ranks) {
  if (ranks.empty()) return "all ranks";
  std::ranges::sort(ranks);
  const auto repeated = std::ranges::unique(ranks);
  ranks.erase(repeated.begin(), repeated.end());
  const int64_t first = ranks.front(), last = ranks.back();
  if (ranks.size() == 1) return Say("rank {rank}", first);
  if (last - first + 1 == static_cast<int64_t>(ranks.size()))
    return Say("ranks {first} to {last}", first, last);
  std::string others;
  for (const int64_t rank : std::span(ranks).first(ranks.size() - 1))
    others += fmt::format("{}{}", others.empty() ? "" : ", ", rank);
  return Say("ranks {ranks} and {last}", others, last);
}

Phrase SaySteps(const std::string& steps) {
  if (steps == "all") return "all steps";
  if (steps == "complete") return "complete steps";
  const bool one = steps.find_first_not_of("0123456789") == steps.npos;
  return one ? Say("step {step}", Phrase::Name(steps)) : Say("steps {steps}", Phrase::Name(steps));
}

// Of two parts of one run: "rank 3" and "rank 4". Of the same part, nothing.
void NameParts(const Question& a, const Question& b, CompareOptions& options) {
  const bool ranks = a.ranks != b.ranks, steps = a.steps != b.steps;
  if (!ranks && !steps) return;
  const auto say = [&](const Question& side) {
    Phrase said = ranks ? SayRanks(side.ranks) : Phrase();
    if (steps) said += (ranks ? ", " : "") + SaySteps(side.steps);
    return said;
  };
  options.before = say(a);
  options.after = say(b);
}

// The options that select what is compared, as given.
std::string SelectionOf(const CompareFlags& flags) {
  std::string text;
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", option, Pasted({value}));
  };
  const auto join = [](const std::vector<int64_t>& ranks) {
    return fmt::format("{}", fmt::join(ranks, ","));
  };
  if (flags.question.steps != "all") add("--steps", flags.question.steps);
  add("--ranks", join(flags.question.ranks));
  add("--steps-before", flags.steps_before);
  add("--steps-after", flags.steps_after);
  add("--ranks-before", join(flags.ranks_before));
  add("--ranks-after", join(flags.ranks_after));
  return text;
}

// The commands that show more; of long paths, each on a line, and with BEFORE and AFTER for longer
// ones.
Phrase SayMoreOfBoth(const CompareFlags& flags) {
  const auto say = [&](const std::string& before, const std::string& after,
                       std::string_view between) {
    const std::string both = fmt::format("{}{}{}", before, between, after);
    return SayMore({"stepscope serve " + (before == after ? before : both),
                    fmt::format("stepscope compare {}{} --full", both, SelectionOf(flags))});
  };
  const std::string a = Pasted({flags.a}), b = Pasted({flags.b});
  for (const std::string_view between : {" ", " \\\n          "}) {
    Phrase said = say(a, b, between);
    if (FitsScreen(said.str())) return said;
  }
  return say("BEFORE", "AFTER", " ");
}

int RunCompare(const CompareFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  if (const auto format = FormatOf(flags.output); !format) return Fail(format.error());
  Question ask_a = flags.question, ask_b = flags.question;
  if (!flags.steps_before.empty()) ask_a.steps = flags.steps_before;
  if (!flags.steps_after.empty()) ask_b.steps = flags.steps_after;
  if (!flags.ranks_before.empty()) ask_a.ranks = flags.ranks_before;
  if (!flags.ranks_after.empty()) ask_b.ranks = flags.ranks_after;
  const auto ask = [](const std::string& path, const Question& question, bool own_steps,
                      bool own_ranks, std::string_view side) -> AskForRanks {
    return [=](const std::vector<int64_t>& ranks) {
      return AnswerOf(path, question, ranks, own_steps, own_ranks, side);
    };
  };
  const auto runs = AskBoth(
      ask(flags.a, ask_a, !flags.steps_before.empty(), !flags.ranks_before.empty(), "before"),
      ask(flags.b, ask_b, !flags.steps_after.empty(), !flags.ranks_after.empty(), "after"),
      !ask_a.ranks.empty() || !ask_b.ranks.empty());
  if (!runs) return Fail(runs.error());
  CompareOptions options{.short_names = flags.short_names};
  OutputFlags output = flags.output;
  const bool all = flags.question.only == ComparedAnalyses();
  if (all) output.extent = TextStyle::Extent::kScreen;
  if (flags.full) output.extent = TextStyle::Extent::kAll;
  output.more = SayMoreOfBoth(flags);
  if (runs->before->run.name == runs->after->run.name) NameParts(ask_a, ask_b, options);
  return PrintAndJudge(Compare(*runs, options), output, *conditions);
}

}  // namespace

void AddCompare(Command& root) {
  auto flags = std::make_shared<CompareFlags>();
  flags->question.only = ComparedAnalyses();
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
