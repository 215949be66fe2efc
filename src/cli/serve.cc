// stepscope serve: the page, live.
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "cli/browser.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "cli/token_flags.h"
#include "stepscope/server.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope serve traces/                  prints an address: open it in a browser
  stepscope serve traces/ --open           and opens it
  stepscope serve runs/                    a folder of runs: new ones appear while it serves
  stepscope serve before/ after/ ledger/   several runs, and a ledger of goodput
  stepscope serve traces/ --port 8080      then from elsewhere: ssh -L 8080:127.0.0.1:8080 HOST
  stepscope serve traces/ --host 0.0.0.0 --token-file FILE      for a network you trust

Only who knows the token in the address gets in: a new one each time, unless --token-file, --token or
STEPSCOPE_TOKEN in the environment say which. Ends at SIGINT or SIGTERM.
)";

struct ServeFlags {
  PageServerOptions options;
  SettingsFlags settings;
  TokenFlags token;
  bool open = false;
};

// The signals that end the server, in every thread that is started from here on.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

int Run(const ServeFlags& flags) {
  PageServerOptions options = flags.options;
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  auto settings = ReadSettings(flags.settings);
  if (!settings) return Fail(settings.error());
  options.settings = std::move(*settings);
  const sigset_t signals = BlockSignals();
  auto server = PageServer::Start(options);
  if (!server) return Fail(server.error());
  if (!server->warning().empty()) fmt::print(stderr, "stepscope: {}\n", server->warning());
  fmt::print("Listening on {}\n", server->url());
  std::fflush(stdout);
  if (flags.open) {
    if (const auto opened = OpenInBrowser(server->url()); !opened) PrintError(opened.error());
  }
  int signal = 0;
  sigwait(&signals, &signal);
  // What is being read or answered is of no use to anybody now, and nothing waits to be written:
  // waiting for it would only look like hanging.
  std::_Exit(kDone);
}

}  // namespace

void AddServe(CLI::App& app, Command& chosen) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command = app.add_subcommand("serve", "Show it all as a page in the browser");
  command->footer(kExamples);
  AddShownPaths(*command, flags->options.paths);
  command
      ->add_option("--host", flags->options.host,
                   "Where to listen; beyond loopback a token is needed")
      ->option_text("HOST [127.0.0.1]");
  command->add_option("--port", flags->options.port, "0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->option_text("N [0]");
  AddTokenFlags(*command, flags->token, "What the address must hold");
  command->add_flag("--open", flags->open, "Open the page in the browser of this machine");
  command
      ->add_option("--keep", flags->options.keep,
                   "So many runs stay in memory; of more, those that were looked at last")
      ->check(CLI::Range(1, 1000))
      ->option_text("N [4]");
  AddSettings(*command, flags->settings);
  AddThreads(*command, flags->options.threads);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
