// stepscope goodput watch: shows running jobs.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "cli/answer.h"
#include "cli/chip_flags.h"
#include "cli/goodput.h"
#include "cli/terminal.h"
#include "stepscope/goodput_live.h"
#include "stepscope/write.h"

namespace stepscope::cli {
namespace {

struct WatchFlags {
  std::string folder, job;
  double every = 2;
  ChipFlags program;
  OutputFlags output;
};

bool GoesOn(const WatchFlags& flags) {
  return isatty(STDOUT_FILENO) != 0 && flags.output.file.empty() &&
         (flags.output.format.empty() || flags.output.format == "text") &&
         flags.output.fail_on.empty();
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

int RunWatch(const WatchFlags& flags) {
  if (const auto conditions = ReadConditions(flags.output); !conditions) {
    return Fail(conditions.error());
  }
  const auto program = ReadChipFlags(flags.program);
  if (!program) return Fail(program.error());
  GoodputWatch watch(flags.folder, *program);
  const bool goes_on = GoesOn(flags);
  for (bool first = true;; first = false) {
    auto answer = watch.Now(flags.job);
    if (!answer) return Fail(answer.error());
    if (!goes_on) return PrintAndJudge(std::move(answer), flags.output);
    if (first) fmt::print("\x1b[2J");
    Draw(Write(*answer, Format::kText, StdoutStyle()));
    std::this_thread::sleep_for(std::chrono::duration<double>(flags.every));
  }
}

}  // namespace

void AddGoodputWatch(Command& goodput) {
  auto flags = std::make_shared<WatchFlags>();
  Command& command = goodput.Sub("watch", "Show running jobs");
  command.Argument("DIR", flags->folder, "Directory of segments");
  command.Take("--job", flags->job).Help("Show one job in detail");
  command.Take("--every", flags->every).Range(0.1, 3600);
  AddOutput(command, flags->output, "watch.silent>5min");
  AddChipFlags(command, flags->program);
  command.Examples({{"all jobs of a directory", "stepscope goodput watch /shared/goodput"},
                    {"one job in detail", "stepscope goodput watch /shared/goodput --job llm"},
                    {"exit 1 if no events arrived for 5 minutes",
                     "stepscope goodput watch DIR --job llm --fail-on 'watch.silent>5min'"}});
  command.Notes(
      "On a terminal it updates until Ctrl-C. Elsewhere, or with another format, it prints once.");
  command.Runs([flags] { return RunWatch(*flags); });
}

}  // namespace stepscope::cli
