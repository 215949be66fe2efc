// stepscope serve: serves the page to a browser.
#include "cli/serve.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/quantity.h"
#include "cli/answer.h"
#include "cli/browser.h"
#include "cli/productivity_flags.h"
#include "cli/root.h"
#include "cli/server_flags.h"
#include "cli/terminal.h"
#include "stepscope/find_runs.h"
#include "stepscope/goodput_ledger.h"
#include "stepscope/hang.h"
#include "stepscope/memory_snapshot.h"
#include "stepscope/server.h"

namespace stepscope::cli {
namespace {

struct ServeFlags {
  PageServerOptions options;
  SettingsFlags settings;
  ProductivityFlags productivity;
  TokenFlags token;
  double query_timeout = 60;  // s
  bool open = false;
};

// Of statements in the page's box for SQL.
void AddQueryLimits(Command& command, ServeFlags& flags) {
  command
      .TakeEach(
          "--memory-limit",
          [&flags](const std::string& text) -> Result<void> {
            const auto size = ReadSize(text);
            if (!size) return std::unexpected(size.error());
            if (*size < 1e6 || *size > 1e18)
              return std::unexpected(Error{"the size must be 1 MB to 1e18 bytes", text, "4GB"});
            flags.options.query_memory = static_cast<int64_t>(*size);
            return {};
          })
      .Help("Most memory of DuckDB's own, for SQL of the page")
      .Default("2GB");
  command.Take("--timeout", flags.query_timeout)
      .Help("Give up SQL of the page after this time")
      .Default("60s");
}

// The signals that end the server, in every thread that is started from here on.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

// Runs may appear there later; but a wrong path has none, either.
void TellOfEmptyPaths(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (HangAt(path) == HoldsHang::kNone && FindRuns(path).empty() && !IsGoodputLedger(path) &&
        FindMemorySnapshots(path).empty())
      Tell(fmt::format(
          "{} has no trace (.json, .json.gz, .xplane.pb, .sqlite) and no goodput ledger yet; "
          "runs that appear there are shown",
          path));
  }
}

int RunServe(const ServeFlags& flags) {
  PageServerOptions options = flags.options;
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  options.query_timeout = static_cast<int64_t>(std::round(flags.query_timeout * 1e9));
  auto settings = ReadSettings(flags.settings);
  if (!settings) return Fail(settings.error());
  options.settings = std::move(*settings);
  auto goodput = ReadProductivityFlags(flags.productivity);
  if (!goodput) return Fail(goodput.error());
  options.goodput = std::move(*goodput);
  return ServeUntilEnded(options, flags.open, [&](Error error) {
    return WithTokenSource(std::move(error), flags.token);
  });
}

}  // namespace

int ServeUntilEnded(const PageServerOptions& options, bool open,
                    const std::function<Error(Error)>& explain) {
  const sigset_t signals = BlockSignals();
  auto server = PageServer::Start(options);
  if (!server) return Fail(explain ? explain(server.error()) : server.error());
  if (!server->warning().empty()) Tell(server->warning());
  TellOfEmptyPaths(options.paths);
  fmt::print("Listening on {}\n", server->url());
  std::fflush(stdout);
  if (open) {
    if (const auto opened = OpenInBrowser(server->url()); !opened) PrintError(opened.error());
  }
  int signal = 0;
  sigwait(&signals, &signal);
  // Nothing waits to be written, so requests in progress need not end first.
  std::_Exit(kDone);
}

void AddServe(Command& root) {
  auto flags = std::make_shared<ServeFlags>();
  Command& command = root.Sub("serve", "Serve the page to a browser");
  AddShownPaths(command, flags->options.paths);
  command.Take("--hang", flags->options.hangs);
  command.Switch("--open", flags->open);
  AddListening(command, flags->options.host, flags->options.port, flags->options.allow_hosts);
  AddTokenFlags(command, flags->token);
  command.Take("--traces", flags->options.trace_folders)
      .Value("DIR")  // of one word: what follows is a path to serve
      .Help("Open traces of ranks from there only")
      .Default("all, on loopback");
  command.Take("--keep", flags->options.keep).Range(1, 1000);
  AddSettings(command, flags->settings);
  AddThreads(command, flags->options.threads);
  AddMaxInput(command, flags->options.max_input);
  command.Take("--most-names", flags->options.most_names).Range(0, 1e9);
  command.Take("--most-rows", flags->options.most_rows).Range(0, 1e12);
  AddQueryLimits(command, *flags);
  AddProductivityFlags(command, flags->productivity);
  command.Take("--job", flags->productivity.options.job)
      .Help("Job that --model, --chips and --scheduler-job are of")
      .Default("all");
  command.Examples(
      {{"print an address to open", "stepscope serve traces/"},
       {"open it", "stepscope serve traces/ --open"},
       {"a directory of runs; new runs appear", "stepscope serve runs/"},
       {"several runs and a goodput ledger", "stepscope serve before/ after/ ledger/"},
       {"goodput of jobs with queueing, MFU and cost",
        "stepscope serve traces/ ledger/ --scheduler sacct.txt --model config.json --chip H100 "
        "--price-per-chip-hour 2.5"},
       {"behind ssh -L 8080:127.0.0.1:8080 HOST", "stepscope serve traces/ --port 8080"},
       {"for a trusted network", "stepscope serve traces/ --host 0.0.0.0 --token-file FILE"}});
  command.Notes(
      "Without --token, the server generates a token and prints it in the address.\n"
      "Without --job, options of the chips and the model are of all jobs of ledgers.\n"
      "SIGINT or SIGTERM stops the server.");
  command.Runs([flags] { return RunServe(*flags); });
}

}  // namespace stepscope::cli
