// stepscope analyze: the main job.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "stepscope/session.h"
#include "stepscope/write.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope analyze traces/                     all ranks of a job, everything there is to say
  stepscope analyze rank0.json.gz --only idle_time
  stepscope analyze traces/ --steps complete    without the steps that recording cut off
  stepscope analyze traces/ --steps 12..15 --format json -o report.json
  stepscope analyze traces/ -p idle_time.consecutive_kernel_delay=50000
)";

struct AnalyzeFlags {
  std::vector<std::string> paths;
  std::vector<std::string> only;
  std::string steps = "all";
  std::string format = "text";
  std::string output;
  std::vector<std::string> params;
  int threads = 0;
};

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

Result<ReportSet> Answer(const AnalyzeFlags& flags) {
  auto params = SplitParams(flags.params);
  if (!params) return std::unexpected(params.error());
  ProgressLine line;
  OpenOptions open{.analyses = flags.only, .threads = flags.threads};
  open.on_progress = [&](const Progress& progress) { line.Show(progress); };
  const auto session = Session::Open(flags.paths, open);
  line.Clear();
  if (!session) return std::unexpected(session.error());
  return session->Analyze({.only = flags.only, .steps = flags.steps, .params = std::move(*params)});
}

Result<void> Print(const std::string& text, const std::string& output) {
  if (!output.empty() && output != "-") return WriteFileAtomically(output, text);
  // A reader that has seen enough, such as head, closes the pipe: no reason to complain.
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return {};
    return std::unexpected(Error{std::string("cannot write the result: ") + std::strerror(errno),
                                 "standard output", ""});
  }
  return {};
}

int Run(const AnalyzeFlags& flags) {
  const auto answer = Answer(flags);
  if (!answer) {
    PrintError(answer.error());
    return kCouldNot;
  }
  const bool to_terminal = flags.output.empty() || flags.output == "-";
  const TextStyle style = to_terminal ? StdoutStyle() : TextStyle{};
  const std::string text = Write(*answer, ParseFormat(flags.format).value_or(Format::kText), style);
  if (const auto printed = Print(text, flags.output); !printed) {
    PrintError(printed.error());
    return kCouldNot;
  }
  return kDone;
}

}  // namespace

void AddAnalyze(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<AnalyzeFlags>();
  CLI::App* command = app.add_subcommand("analyze", "Say where the time of a job went");
  command->footer(kExamples);
  command->add_option("PATH", flags->paths, "A folder of traces, or trace files (.json, .json.gz)")
      ->required()
      ->option_text("...");
  command->add_option("--only", flags->only, "Run only these analyses, separated by commas")
      ->delimiter(',')
      ->option_text("NAME,...");
  command->add_option("--steps", flags->steps, "Which steps count: all, complete, N, or A..B")
      ->capture_default_str()
      ->option_text("STEPS [all]");
  command->add_option("--format", flags->format, "How to print: text, json, csv or markdown")
      ->capture_default_str()
      ->option_text("FORMAT [text]")
      ->check(CLI::IsMember({"text", "json", "csv", "markdown"}));
  command->add_option("-o,--output", flags->output, "Write to this file instead of standard output")
      ->type_name("FILE");
  command
      ->add_option("-p,--param", flags->params,
                   "Set a parameter: analysis.param=value; 'stepscope explain NAME' lists them")
      ->option_text("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--threads", flags->threads, "Threads to read with; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->option_text("N [0]");
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
