// Asks, prints and judges.
#include "cli/answer.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/ascii.h"
#include "base/keep_memory.h"
#include "base/quantity.h"
#include "cli/inputs.h"
#include "cli/output_file.h"
#include "cli/terminal.h"
#include "cli/vocabulary.h"
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
      return std::unexpected(Error{"cannot read the parameter '" + param + "'", "--param",
                                   "write it as analysis.param=value"});
    }
    params.emplace_back(param.substr(0, equals), param.substr(equals + 1));
  }
  return params;
}

}  // namespace

void AddQuestion(Command& command, Question& question) {
  std::vector<std::string> names;
  for (const AnalysisInfo& analysis : Session::List()) names.push_back(analysis.name);
  command.Take("--only", question.only).Suggestions(std::move(names));
  AddSelection(command, question);
}

void AddSelection(Command& command, Question& question) {
  command.Take("--steps", question.steps).Suggestions({"all", "complete"});
  command.Take("--ranks", question.ranks);
  AddSettings(command, question.settings);
  AddThreads(command, question.threads);
  AddMaxInput(command, question.max_input);
  command.Take("--most-names", question.most_names).Range(0, 1e9);
  command.Switch("--quiet", question.quiet);
}

void AddSettings(Command& command, SettingsFlags& settings) {
  std::vector<std::string> params;
  for (const AnalysisInfo& analysis : Session::List()) {
    for (const ParameterInfo& param : analysis.params)
      params.push_back(fmt::format("{}.{}=", analysis.name, param.name));
  }
  command.Take("--param", settings.params).Suggestions(std::move(params));
  command.Take("--groups", settings.groups);
  AddPlugins(command);
}

void AddPlugins(Command& command) {
  command.TakeEach("--plugin", [](const std::string&) -> Result<void> { return {}; });
}

Result<Settings> ReadSettings(const SettingsFlags& flags) {
  auto params = SplitParams(flags.params);
  if (!params) return std::unexpected(params.error());
  Result<std::vector<KernelGroup>> groups;
  if (!flags.groups.empty()) groups = ReadKernelGroups(flags.groups);
  if (!groups) return std::unexpected(groups.error());
  return Settings{.groups = std::move(*groups), .params = std::move(*params)};
}

void AddThreads(Command& command, int& threads) {
  command.Take("--threads", threads).Range(0, 1024);
}

void AddMaxInput(Command& command, int64_t& max_input) {
  command.TakeEach("--max-input", [&max_input](const std::string& text) -> Result<void> {
    const auto size = ReadSize(text);
    if (!size) return std::unexpected(size.error());
    if (*size < 1 || *size > 1e18)
      return std::unexpected(Error{"the size must be 1 to 1e18 bytes", text, "--max-input 200GB"});
    max_input = static_cast<int64_t>(*size);
    return {};
  });
}

void AddShownPaths(Command& command, std::vector<std::string>& paths) {
  command.Argument("PATH", paths, "Traces, directories of runs, ledgers, or dumps of a hang");
}

void AddOutput(Command& command, OutputFlags& output, std::string_view condition) {
  command.Take("--format", output.format).Choices({"text", "json", "csv", "markdown", "md"});
  command.Take("--output", output.file);
  AddLanguage(command, output.language);
  command.Take("--fail-on", output.fail_on).Help("Exit 1 if this holds: " + std::string(condition));
}

void AddLanguage(Command& command, std::string& language) {
  command.Take("--lang", language).Choices({"en", "ja"});
}

Result<ReportSet> Answer(const std::vector<std::string>& paths, const Question& question,
                         std::vector<RankTrace>* traces) {
  auto settings = ReadSettings(question.settings);
  if (!settings) return std::unexpected(settings.error());
  const auto inputs = OpenInputs(paths, question.storage_options);
  if (!inputs) return std::unexpected(inputs.error());
  KeepFreedMemory();
  ProgressLine line;
  OpenOptions open{
      .analyses = question.only, .threads = question.threads, .settings = std::move(*settings)};
  open.storage = inputs->storage;
  open.redact = question.redact;
  open.max_input = question.max_input;
  if (!question.quiet) open.on_progress = [&](const Progress& progress) { line.Show(progress); };
  const auto session = Session::Open(inputs->paths, open);
  line.Clear();
  if (!session) return std::unexpected(session.error());
  if (traces != nullptr) {
    const auto known = session->Traces();
    traces->assign(known.begin(), known.end());
  }
  return Found(session->Analyze({.only = question.only,
                                 .steps = question.steps,
                                 .ranks = question.ranks,
                                 .most_names = question.most_names}));
}

Result<ReportSet> Found(Result<ReportSet> answer) {
  if (!answer) return answer;
  for (const Report& report : answer->reports) {
    if (report.absent) return std::unexpected(*report.absent);
  }
  return answer;
}

Result<std::vector<Condition>> ReadConditions(const OutputFlags& output) {
  std::vector<Condition> conditions;
  for (const std::string& text : output.fail_on) {
    auto condition = ParseCondition(text);
    if (!condition) return std::unexpected(condition.error());
    conditions.push_back(std::move(*condition));
  }
  return conditions;
}

Result<Format> FormatOf(const OutputFlags& output) {
  const bool folder = NamesDirectory(output.file);  // nothing but CSV is several files
  const Format asked = ParseFormat(output.format).value_or(folder ? Format::kCsv : Format::kText);
  if (folder && asked != Format::kCsv)
    return std::unexpected(Error{"one file is written in this format, no folder", output.file,
                                 "name a file, or choose --format csv"});
  if (folder || !output.format.empty()) return asked;
  const std::string suffix = Lower(std::filesystem::path(output.file).extension().string());
  if (suffix == ".json") return Format::kJson;
  if (suffix == ".csv") return Format::kCsv;
  if (suffix == ".md" || suffix == ".markdown") return Format::kMarkdown;
  if (suffix == ".html" || suffix == ".htm") {
    return std::unexpected(Error{"this command writes no HTML", output.file,
                                 "'stepscope report PATH -o FILE' writes a page as one file"});
  }
  if (suffix == ".xlsx" || suffix == ".xls" || suffix == ".ods") {
    return std::unexpected(
        Error{"no workbooks are written", output.file,
              "--format csv -o DIR/ writes a file for each table, which spreadsheets open"});
  }
  if (suffix == ".pdf" || suffix == ".docx" || suffix == ".doc" || suffix == ".odt") {
    return std::unexpected(
        Error{"no documents are written", output.file,
              "'stepscope report PATH -o FILE.html' writes a page, which browsers print to PDF"});
  }
  return Format::kText;
}

Result<void> CheckOutput(const OutputFlags& output) {
  if (const auto format = FormatOf(output); !format) return std::unexpected(format.error());
  return CheckOutput(output.file);
}

int PrintAndJudge(ReportSet answer, const OutputFlags& output,
                  const std::vector<Condition>& conditions) {
  const auto asked = FormatOf(output);
  if (!asked) return Fail(asked.error());
  const Format format = *asked;
  const auto matches = Matches(answer, conditions);
  TextStyle style = IsStandardOutput(output.file) ? StdoutStyle() : TextStyle{};
  style.extent = output.extent;
  const bool for_people = format == Format::kText || format == Format::kMarkdown;
  style.language = LanguageOf(output.language, for_people);
  style.more = In(style.language, output.more);
  Translate(answer, style.language, for_people ? Translates::kAll : Translates::kSentences);
  if (for_people) UseOptions(answer);
  const auto printed =
      NamesDirectory(output.file) && format == Format::kCsv
          ? WriteOutputs(ToCsvFiles(answer), output.file, answer.run.files)
          : WriteOutput(Write(answer, format, style), output.file, answer.run.files);
  if (!printed) return Fail(printed.error());
  if (!matches) return Fail(matches.error());
  for (const std::string& match : *matches) Tell(match);
  return matches->empty() ? kDone : kConditionHolds;
}

int PrintAndJudge(Result<ReportSet> given, const OutputFlags& output) {
  auto answer = Found(std::move(given));
  if (!answer) return Fail(answer.error());
  const auto conditions = ReadConditions(output);
  if (!conditions) return Fail(conditions.error());
  return PrintAndJudge(*std::move(answer), output, *conditions);
}

int Fail(const Error& error) {
  PrintError(error);
  return kFailed;
}

}  // namespace stepscope::cli
