// stepscope analyze: reports on the traces of a job.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/url_word.h"
#include "cli/answer.h"
#include "cli/inputs.h"
#include "cli/more.h"
#include "cli/output_file.h"
#include "cli/root.h"
#include "stepscope/select.h"

namespace stepscope::cli {
namespace {

struct AnalyzeFlags {
  std::vector<std::string> paths;
  Question question;
  OutputFlags output;
  bool full = false;
  std::string repro;
  NamePatterns named;
};

// The lines of the script that the answer has.
std::string ScriptIn(const ReportSet& answer) {
  std::string script;
  for (const Table& table : answer.reports.front().tables) {
    if (table.key != "script") continue;
    const auto text =
        std::ranges::find(table.columns, "text", &Column::key) - table.columns.begin();
    for (const auto& row : table.rows)
      script += std::get<std::string>(row.at(static_cast<size_t>(text))) + '\n';
  }
  return script;
}

int PrintScript(const ReportSet& answer, const AnalyzeFlags& flags) {
  const Report& report = answer.reports.front();
  if (report.status == Status::kUnavailable) {
    return Fail({"cannot reproduce '" + flags.repro + "': " + report.why, "--repro", ""});
  }
  const auto written = WriteOutput(ScriptIn(answer), flags.output.file, answer.run.files);
  return written ? kDone : Fail(written.error());
}

// Whether it names a Python function: "load (data.py:7)".
bool NamesFunction(const Phrase& text) { return text.contains(".py:"); }

bool Answers(const ReportSet& answer, std::string_view analysis) {
  const auto report = std::ranges::find(answer.reports, analysis, &Report::analysis);
  return report != answer.reports.end() && report->status != Status::kUnavailable;
}

// The analyses of the first findings, at most `most`; without findings the first that answers of
// those about steps and where time goes. Functions are known only where Python is read, which of
// these few analyses only `python` may ask for.
std::vector<std::string_view> FirstAnalyses(const ReportSet& answer, int64_t most) {
  std::vector<std::string_view> names;
  bool of_python = NamesFunction(answer.verdict);
  const auto add = [&](std::string_view analysis) {
    if (std::ranges::find(names, analysis) == names.end()) names.push_back(analysis);
  };
  for (int64_t place = 1; place <= most; ++place) {
    for (const Report& report : answer.reports) {
      const auto found = std::ranges::find(report.findings, place, &Finding::place);
      if (found == report.findings.end()) continue;
      add(report.analysis);
      of_python |= NamesFunction(found->message) || NamesFunction(found->because);
    }
  }
  for (const std::string_view analysis : {"steps", "breakdown", "overview"}) {
    if (names.empty() && Answers(answer, analysis)) add(analysis);
  }
  if (of_python && Answers(answer, "python")) add("python");
  return names;
}

// The three commands that show more, on two lines if need be; with PATH for paths that are too
// long.
Phrase SayMoreOf(const ReportSet& answer, const std::vector<std::string>& paths) {
  constexpr int64_t kCauses = 3;  // of the screen
  const auto say = [&](const std::string& path, int64_t causes, std::string_view between = " ") {
    const auto names = FirstAnalyses(answer, causes);
    const std::string command = "stepscope analyze " + path + std::string(between);
    std::vector<std::string> lines = {
        names.empty() ? command + "--full"
                      : fmt::format("{}--only {} | --full", command, fmt::join(names, ","))};
    if (std::ranges::none_of(paths, IsUrl)) lines.insert(lines.begin(), "stepscope serve " + path);
    return SayMore(lines);
  };
  const std::string path = Pasted(paths);
  for (int64_t causes = kCauses; causes > 0; --causes) {
    for (const std::string_view between : {" ", " \\\n          "}) {
      Phrase said = say(path, causes, between);
      if (FitsScreen(said.str())) return said;
    }
  }
  return say(paths.size() == 1 ? "PATH" : "PATH...", kCauses);
}

// The rank that was asked for, or that the first finding names, of several the first.
std::optional<int64_t> RankInQuestion(const ReportSet& answer, const std::vector<int64_t>& asked) {
  if (asked.size() == 1) return asked.front();
  for (const Report& report : answer.reports) {
    const auto first = std::ranges::find(report.findings, 1, &Finding::place);
    if (first == report.findings.end()) continue;
    if (first->cause.rank || first->where.ranks.empty()) return first->cause.rank;
    return first->where.ranks.front();
  }
  return std::nullopt;
}

// Of partials: the command that opens the rank's own trace, which has what they do not; else
// nothing.
Phrase SayTrace(const ReportSet& answer, const std::vector<int64_t>& asked,
                std::span<const RankTrace> traces) {
  const auto rank = RankInQuestion(answer, asked);
  if (!rank) return "";
  const std::string command = CommandOfTrace(*rank, traces, "stepscope serve");
  if (command.empty()) return "";
  return Phrase("\n") + Say("The trace of rank {rank}: {command}", *rank, Phrase::Name(command));
}

int RunAnalyze(const AnalyzeFlags& flags) {
  const auto conditions = ReadConditions(flags.output);
  if (!conditions) return Fail(conditions.error());
  if (const auto writable = CheckOutput(flags.output.file); !writable)
    return Fail(writable.error());
  const auto format = FormatOf(flags.output);
  if (!format) return Fail(format.error());
  Question question = flags.question;
  const bool script = !flags.repro.empty();
  if (script) {
    question.only = {"shapes"};
    question.settings.params.push_back("shapes.repro=" + flags.repro);
  }
  std::vector<RankTrace> traces;
  auto answer = Answer(flags.paths, question, &traces);
  if (!answer) return Fail(answer.error());
  if (script && *format == Format::kText) return PrintScript(*answer, flags);
  OutputFlags output = flags.output;
  if (const bool named = !flags.named.kernel.empty() || !flags.named.op.empty(); named) {
    answer = KeepNamed(*std::move(answer), flags.named);
    if (!answer) return Fail(answer.error());
    return PrintAndJudge(*std::move(answer), output, *conditions);
  }
  if (flags.full) {
    output.extent = TextStyle::Extent::kAll;
  } else if (question.only.empty()) {
    output.extent = TextStyle::Extent::kScreen;
    output.more = SayMoreOf(*answer, flags.paths) + SayTrace(*answer, question.ranks, traces);
  }
  return PrintAndJudge(*std::move(answer), output, *conditions);
}

}  // namespace

void AddAnalyze(Command& root) {
  auto flags = std::make_shared<AnalyzeFlags>();
  Command& command = root.Sub("analyze", "Report where training time goes");
  command.Argument("PATH", flags->paths,
                   "Traces, directories (.json, .json.gz, .xplane.pb, .sqlite)");
  AddQuestion(command, flags->question);
  AddStorageOptions(command, flags->question.storage_options);
  command.Switch("--full", flags->full);
  command.Take("--kernel", flags->named.kernel);
  command.Take("--operator", flags->named.op);
  command.Take("--repro", flags->repro).Excludes("--only");
  AddOutput(command, flags->output, "comm_overlap.exposed_ratio>20%");
  command.Examples(
      {{"all ranks of a job, all analyses", "stepscope analyze traces/"},
       {"one analysis of one rank", "stepscope analyze rank0.json.gz --only idle_time"},
       {"without truncated steps", "stepscope analyze traces/ --steps complete"},
       {"some steps, as JSON", "stepscope analyze traces/ --steps 12..15 -o report.json"},
       {"one kernel in all tables", "stepscope analyze traces/ --kernel '*gemm*'"},
       {"a CSV file for each table", "stepscope analyze traces/ --format csv -o tables/"},
       {"another threshold",
        "stepscope analyze traces/ -p idle_time.consecutive_kernel_delay=50us"},
       {"an analysis of your own",
        "stepscope analyze traces/ --plugin late_kernels.py --only late_kernels"},
       {"a script that runs one call again",
        "stepscope analyze traces/ --repro 5f3c9a0e71b2 -o call.py"},
       {"exit 1 if less than half of communication overlaps",
        "stepscope analyze traces/ --fail-on 'comm_overlap.overlap_ratio<50%'"}});
  command.Runs([flags] { return RunAnalyze(*flags); });
}

}  // namespace stepscope::cli
