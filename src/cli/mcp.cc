// stepscope mcp: serves assistants over the Model Context Protocol on standard input and output.
#include "stepscope/mcp.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "cli/answer.h"
#include "cli/root.h"
#include "cli/terminal.h"
#include "stepscope/redact.h"

namespace stepscope::cli {
namespace {

struct McpFlags {
  McpOptions options;
  SettingsFlags settings;
  bool no_redact = false;
};

size_t ReadInput(std::span<char> into) {
  ssize_t got = 0;
  do got = ::read(STDIN_FILENO, into.data(), into.size());
  while (got < 0 && errno == EINTR);
  return got < 0 ? 0 : static_cast<size_t>(got);
}

bool WriteLine(std::string_view line) {
  while (!line.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, line.data(), line.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    line.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

int RunMcp(const McpFlags& flags) {
  McpOptions options = flags.options;
  auto settings = ReadSettings(flags.settings);
  if (!settings) return Fail(settings.error());
  options.settings = std::move(*settings);
  if (!flags.no_redact) options.redact = RedactOptions{.keep = {}, .key = MachineKey()};
  if (isatty(STDIN_FILENO) != 0)
    ShowRaw("stepscope mcp: speaks JSON-RPC on standard input; assistants start it\n");
  const auto served = ServeMcp(options, ReadInput, WriteLine);
  return served ? kDone : Fail(served.error());
}

}  // namespace

void AddMcp(Command& root) {
  auto flags = std::make_shared<McpFlags>();
  Command& command = root.Sub("mcp", "Answer assistants over the Model Context Protocol");
  command.Argument("DIR", flags->options.roots, "Directories to read; nothing outside is read");
  command.Take("--keep", flags->options.keep).Range(1, 1000);
  command.Switch("--no-redact", flags->no_redact);
  AddSettings(command, flags->settings);
  AddThreads(command, flags->options.threads);
  AddMaxInput(command, flags->options.max_input);
  command.Examples({{"what an assistant starts", "stepscope mcp /data/traces"},
                    {"two directories", "stepscope mcp /data/runs /data/ledger"}});
  command.Notes(
      "Speaks JSON-RPC, one message a line, on standard input and output: revision 2026-07-28, "
      "and\n"
      "2025-11-25 and 2025-06-18. Tools: open, brief, table, show, compare, explain, goodput.\n"
      "'stepscope skill' prints how to use the commands instead.");
  command.Runs([flags] { return RunMcp(*flags); });
}

}  // namespace stepscope::cli
