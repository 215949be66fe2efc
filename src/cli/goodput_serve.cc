// stepscope goodput serve: takes events over HTTP, and answers Prometheus.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/program_flags.h"
#include "cli/token_flags.h"
#include "stepscope/goodput_live.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope goodput serve /var/lib/goodput                     for processes of this host
  stepscope goodput serve DIR --host 0.0.0.0 --token-file F    for those of other hosts
  stepscope goodput serve DIR --model config.json --chip H100 --chips 512      MFU too
  stepscope goodput serve DIR --otlp http://collector:4318     pushes what /metrics says
  curl --data-binary @events.jsonl http://127.0.0.1:9461/v1/events
  curl http://127.0.0.1:9461/metrics
  stepscope goodput serve DIR --store postgresql://USER@HOST/DATABASE

Events are JSON lines, each with a writer and a sequence number, so that sending twice is harmless;
who gets no answer sends again. An answer says that the events outlive the server. Recorders of this
host may write into the same folder themselves. A database that is gone holds nobody up: it gets the
rest when it is back. STEPSCOPE_TOKEN in the environment is a token too. Ends at SIGINT or SIGTERM.
)";

struct ServeFlags {
  std::string folder, store, host = "127.0.0.1", tensorboard;
  int port = 9461;
  TokenFlags token;
  std::string otlp;
  double otlp_every = 60;
  ProgramFlags program;
};

int Run(const ServeFlags& flags) {
  GoodputServeOptions options{.folder = flags.folder,
                              .store = flags.store,
                              .host = flags.host,
                              .port = flags.port,
                              .tensorboard = flags.tensorboard};
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  const auto program = ReadProgramFlags(flags.program);
  if (!program) return Fail(program.error());
  options.program = *program;
  options.otlp = flags.otlp;
  options.otlp_every = static_cast<int64_t>(flags.otlp_every * 1e9);
  options.on_ready = [](const std::string& url, const std::string& warning) {
    if (!warning.empty()) fmt::print(stderr, "stepscope: {}\n", warning);
    fmt::print("Listening on {}\n", url);
    std::fflush(stdout);
  };
  options.on_problem = [](const std::string& sentence) {
    fmt::print(stderr, "stepscope: {}\n", sentence);
  };
  const auto served = GoodputServe(options);
  return served ? kDone : Fail(served.error());
}

}  // namespace

void AddGoodputServe(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* command =
      goodput.add_subcommand("serve", "Take events over HTTP, and answer Prometheus");
  command->footer(kExamples);
  command->add_option("DIR", flags->folder, "Folder of segments; made if need be")
      ->required()
      ->type_name("");
  command
      ->add_option("--store", flags->store,
                   "A ledger in PostgreSQL that gets all of it too, some seconds later")
      ->option_text("postgresql://...");
  command->add_option("--host", flags->host, "Where to listen; beyond loopback a token is needed")
      ->option_text("HOST [127.0.0.1]");
  command->add_option("--port", flags->port, "0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->option_text("N [9461]");
  AddTokenFlags(*command, flags->token, "What who posts events must say");
  command
      ->add_option("--tensorboard", flags->tensorboard,
                   "Write scalars for TensorBoard there, a folder of each job")
      ->type_name("DIR");
  command->add_option("--otlp", flags->otlp, "Push all metrics to this collector, by OTLP in JSON")
      ->option_text("http://HOST:4318");
  command->add_option("--otlp-every", flags->otlp_every, "Seconds between two pushes")
      ->check(CLI::Range(0.1, 86400.0))
      ->option_text("SECONDS [60]");
  AddProgramFlags(*command, flags->program);
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
