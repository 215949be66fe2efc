// Asking, printing and judging.
#include "cli/answer.h"

#include <fmt/format.h>

#include <utility>

#include "cli/commands.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "stepscope/session.h"
#include "stepscope/write.h"

namespace stepscope::cli {
namespace {

Result<std::vector<std::pair<std::string, std::string>>> SplitParams(
    const std::vector<std::string>& given) {
  std::vector<std::pair<std::string, std::string>> params;
  for (const std::string& param : given) {
    const size_t equals = param.find('=');
    if (equals == param.npos) {
      return std::unexpected(Error{"cannot read the parameter '" + param + "'", "-p",
                                   "write it as analysis.param=value"});
    }
    params.emplace_back(param.substr(0, equals), param.substr(equals + 1));
  }
  return params;
}

}  // namespace

void AddQuestion(CLI::App& command, Question& question) {
  command.add_option("--only", question.only, "Run only these analyses, separated by commas")
      ->delimiter(',')
      ->option_text("NAME,...");
  command.add_option("--steps", question.steps, "Which steps count: all, complete, N, or A..B")
      ->capture_default_str()
      ->option_text("STEPS [all]");
  command.add_option("--ranks", question.ranks, "Only these ranks, separated by commas")
      ->delimiter(',')
      ->option_text("N,...");
  AddSettings(command, question.settings);
  AddThreads(command, question.threads);
}

void AddSettings(CLI::App& command, SettingsFlags& settings) {
  command
      .add_option("-p,--param", settings.params,
                  "Set a parameter: analysis.param=value; 'stepscope explain NAME' lists them")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  command
      .add_option("--groups", settings.groups,
                  "Your own groups of kernels, for kernel_groups: a TOML file of name patterns")
      ->type_name("FILE");
}

Result<Settings> ReadSettings(const SettingsFlags& flags) {
  auto params = SplitParams(flags.params);
  if (!params) return std::unexpected(params.error());
  Result<std::vector<KernelGroup>> groups;
  if (!flags.groups.empty()) groups = ReadKernelGroups(flags.groups);
  if (!groups) return std::unexpected(groups.error());
  return Settings{.groups = std::move(*groups), .params = std::move(*params)};
}

void AddThreads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "Threads to read with; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->option_text("N [0]");
}

void AddShownPaths(CLI::App& command, std::vector<std::string>& paths) {
  command
      .add_option("PATH", paths,
                  "Traces of a run as for 'analyze', a folder of runs, or a goodput ledger")
      ->required()
      ->option_text("...");
}

void AddOutput(CLI::App& command, OutputFlags& output, std::vector<std::string>& fail_on) {
  command.add_option("--format", output.format, "How to print: text, json, csv or markdown (md)")
      ->capture_default_str()
      ->option_text("FORMAT [text]")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown", "md"}));
  command.add_option("-o,--output", output.file, "Write to this file instead of standard output")
      ->type_name("FILE");
  command
      .add_option("--fail-on", fail_on,
                  "Exit with code 1 if this holds: comm_overlap.overlap_ratio<0.5")
      ->option_text("CONDITION")
      ->allow_extra_args(false);
}

Result<ReportSet> Answer(const std::vector<std::string>& paths, const Question& question) {
  auto settings = ReadSettings(question.settings);
  if (!settings) return std::unexpected(settings.error());
  ProgressLine line;
  OpenOptions open{
      .analyses = question.only, .threads = question.threads, .settings = std::move(*settings)};
  open.on_progress = [&](const Progress& progress) { line.Show(progress); };
  const auto session = Session::Open(paths, open);
  line.Clear();
  if (!session) return std::unexpected(session.error());
  return session->Analyze(
      {.only = question.only, .steps = question.steps, .ranks = question.ranks});
}

Result<std::vector<Condition>> ReadConditions(const std::vector<std::string>& given) {
  std::vector<Condition> conditions;
  for (const std::string& text : given) {
    auto condition = ParseCondition(text);
    if (!condition) return std::unexpected(condition.error());
    conditions.push_back(std::move(*condition));
  }
  return conditions;
}

int PrintAndJudge(const ReportSet& answer, const OutputFlags& output,
                  const std::vector<Condition>& conditions) {
  const auto matches = Matches(answer, conditions);
  TextStyle style = IsStandardOutput(output.file) ? StdoutStyle() : TextStyle{};
  style.brief = output.brief;
  const auto format = ParseFormat(output.format).value_or(Format::kText);
  const auto printed = WriteOutput(Write(answer, format, style), output.file, answer.run.files);
  if (!printed) return Fail(printed.error());
  if (!matches) return Fail(matches.error());
  for (const std::string& match : *matches) fmt::print(stderr, "stepscope: {}\n", match);
  return matches->empty() ? kDone : kConditionHolds;
}

int Fail(const Error& error) {
  PrintError(error);
  return kCouldNot;
}

}  // namespace stepscope::cli
