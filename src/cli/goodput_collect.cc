// stepscope goodput collect: takes events over HTTP and serves metrics to Prometheus.
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/chip_flags.h"
#include "cli/goodput.h"
#include "cli/server_flags.h"
#include "cli/terminal.h"
#include "stepscope/goodput_live.h"

namespace stepscope::cli {
namespace {

struct CollectFlags {
  std::string folder, store, host = "127.0.0.1", tensorboard;
  int port = 9461;
  std::vector<std::string> allow_hosts;
  bool group_readable = false;
  TokenFlags token;
  std::string to, to_token_file;
  std::string tokens, otlp;
  double otlp_every = 60;
  ChipFlags program;
};

std::unexpected<Error> WrongTokens(std::string what, const std::string& path, int line) {
  return std::unexpected(Error{"cannot read tokens: " + what, fmt::format("{}:{}", path, line),
                               "write TEAM r|w|rw TOKEN in each line; TEAM * is all teams"});
}

// A line for each token; empty lines and those that begin with # count for nothing.
Result<std::vector<TeamToken>> ReadTokens(const std::string& path) {
  std::vector<TeamToken> tokens;
  std::ifstream in(path);
  if (!in) return WrongTokens("the file cannot be opened", path, 0);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line);
    TeamToken token;
    std::string rights, more;
    if (!(words >> token.team) || token.team.starts_with('#')) continue;
    if (!(words >> rights >> token.token) || words >> more) {
      return WrongTokens("not three words", path, number);
    }
    token.read = rights == "r" || rights == "rw";
    token.write = rights == "w" || rights == "rw";
    if (!token.read && !token.write)
      return WrongTokens("unknown rights '" + rights + "'", path, number);
    if (token.team.contains('/')) return WrongTokens("a team's name has a slash", path, number);
    tokens.push_back(std::move(token));
  }
  if (tokens.empty()) return WrongTokens("there is none", path, 0);
  return tokens;
}

int RunCollect(const CollectFlags& flags) {
  GoodputServeOptions options{.folder = flags.folder,
                              .store = flags.store,
                              .host = flags.host,
                              .port = flags.port,
                              .tensorboard = flags.tensorboard};
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  options.to = flags.to;
  if (!flags.to_token_file.empty()) {
    auto next = TokenOf({.token = "", .file = flags.to_token_file});
    if (!next) return Fail(next.error());
    options.to_token = std::move(*next);
  }
  if (!flags.tokens.empty()) {
    auto tokens = ReadTokens(flags.tokens);
    if (!tokens) return Fail(tokens.error());
    options.team_tokens = std::move(*tokens);
  }
  const auto program = ReadChipFlags(flags.program);
  if (!program) return Fail(program.error());
  options.program = *program;
  options.allow_hosts = flags.allow_hosts;
  options.group_readable = flags.group_readable;
  options.otlp = flags.otlp;
  options.otlp_every = Nanoseconds(flags.otlp_every);
  options.on_ready = [](const std::string& url, const std::string& warning) {
    if (!warning.empty()) Tell(warning);
    fmt::print("Listening on {}\n", url);
    std::fflush(stdout);
  };
  options.on_problem = options.on_end = [](const std::string& sentence) { Tell(sentence); };
  const auto served = GoodputServe(options);
  return served ? kDone : Fail(served.error());
}

}  // namespace

void AddGoodputCollect(Command& goodput) {
  auto flags = std::make_shared<CollectFlags>();
  Command& command = goodput.Sub("collect", "Take events over HTTP, serve metrics to Prometheus");
  command.Argument("DIR", flags->folder, "Directory of segments; created if missing");
  command.Take("--store", flags->store)
      .Value("postgresql://...")
      .Help("PostgreSQL ledger that gets all events, seconds later");
  command.Take("--to", flags->to).Help("Another such server that gets all events, seconds later");
  command.Take("--to-token-file", flags->to_token_file);
  AddListening(command, flags->host, flags->port, flags->allow_hosts);
  command.Switch("--group-readable", flags->group_readable);
  AddTokenFlags(command, flags->token);
  command.Take("--tokens", flags->tokens).Excludes("--token").Excludes("--token-file");
  command.Take("--tensorboard", flags->tensorboard);
  command.Take("--otlp", flags->otlp);
  command.Take("--otlp-every", flags->otlp_every).Range(0.1, 86400);
  AddChipFlags(command, flags->program);
  command.Examples(
      {{"for processes of this host", "stepscope goodput collect /var/lib/goodput"},
       {"for other hosts", "stepscope goodput collect DIR --host 0.0.0.0 --token-file FILE"},
       {"for several teams", "stepscope goodput collect DIR --host 0.0.0.0 --tokens FILE"},
       {"with MFU", "stepscope goodput collect DIR --model config.json --chip H100 --chips 512"},
       {"push metrics too", "stepscope goodput collect DIR --otlp http://collector:4318"},
       {"pass events of this cluster on to one for all",
        "stepscope goodput collect DIR --to https://central:9461 --to-token-file FILE"},
       {"forward events to a database",
        "stepscope goodput collect DIR --store postgresql://USER@HOST/DATABASE"}});
  command.Notes(
      "Post events to /v1/events: JSON lines, each with a writer and a sequence number, so that\n"
      "events sent twice count once. An answer confirms that the events are on disk. Recorders of\n"
      "this host may write to the same directory. If the database or the server of --to is down,\n"
      "events are kept and sent later. SIGINT or SIGTERM ends the server.");
  command.Runs([flags] { return RunCollect(*flags); });
}

}  // namespace stepscope::cli
