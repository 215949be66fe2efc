// stepscope goodput watch: jobs as they run.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/program_flags.h"
#include "cli/terminal.h"
#include "stepscope/goodput_live.h"
#include "stepscope/write.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope goodput watch /shared/goodput               all jobs of a folder, every two seconds
  stepscope goodput watch /shared/goodput --job llm     one of them in detail
  stepscope goodput watch /shared/goodput | cat         once
  stepscope goodput watch DIR --job llm --fail-on 'watch.silent>300e9'     is it heard of?

On a terminal it goes on until Ctrl-C; anywhere else, or with another format, it prints one state.
)";

struct WatchFlags {
  std::string folder, job;
  double every = 2;
  ProgramFlags program;
  OutputFlags output;
  std::vector<std::string> fail_on;
};

bool GoesOn(const WatchFlags& flags) {
  return isatty(STDOUT_FILENO) != 0 && flags.output.file.empty() && flags.output.format == "text" &&
         flags.fail_on.empty();
}

// Draws over what was there, so that nothing flickers, and clears what is left below.
void Draw(const std::string& page) {
  std::string lines = "\x1b[H";
  for (const char c : page) {
    if (c == '\n') lines += "\x1b[K";
    lines += c;
  }
  lines += "\x1b[J";
  std::fwrite(lines.data(), 1, lines.size(), stdout);
  std::fflush(stdout);
}

int Run(const WatchFlags& flags) {
  const auto conditions = ReadConditions(flags.fail_on);
  if (!conditions) return Fail(conditions.error());
  const auto program = ReadProgramFlags(flags.program);
  if (!program) return Fail(program.error());
  GoodputWatch watch(flags.folder, *program);
  const bool goes_on = GoesOn(flags);
  for (bool first = true;; first = false) {
    const auto answer = watch.Now(flags.job);
    if (!answer) return Fail(answer.error());
    if (!goes_on) return PrintAndJudge(*answer, flags.output, *conditions);
    if (first) fmt::print("\x1b[2J");
    TextStyle style = StdoutStyle();
    style.brief = flags.output.brief;
    Draw(Write(*answer, Format::kText, style));
    std::this_thread::sleep_for(std::chrono::duration<double>(flags.every));
  }
}

}  // namespace

void AddGoodputWatch(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<WatchFlags>();
  CLI::App* command = goodput.add_subcommand("watch", "Show jobs as they run");
  command->footer(kExamples);
  command->add_option("DIR", flags->folder, "Folder of segments")->required()->type_name("");
  command->add_option("--job", flags->job, "One job in detail")->option_text("NAME");
  command->add_option("--every", flags->every, "Seconds between two looks")
      ->check(CLI::Range(0.1, 3600.0))
      ->option_text("SECONDS [2]");
  AddProgramFlags(*command, flags->program);
  AddOutput(*command, flags->output, flags->fail_on);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
