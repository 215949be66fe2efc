// stepscope goodput send: ships events to a server on another host.
#include "stepscope/goodput_send.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/token_flags.h"

namespace stepscope::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  stepscope goodput send --store /var/lib/goodput --to http://10.0.0.1:9461 --token-file F --follow
                                         beside a recorder whose disk the server does not see
  stepscope goodput send --events job.jsonl.gz --to http://127.0.0.1:9461      a log, once

Sending again is harmless: the server knows every event by its writer and number. How far it has
confirmed is kept beside the events, so that after a kill little is sent again. With --follow it
tries for ever; it ends at SIGINT or SIGTERM, after sending what there is.
)";

struct SendFlags {
  GoodputSendOptions options;
  TokenFlags token;
  double patience = 60;
};

// Signals that end it are waited for, so that none comes in the middle of a batch.
sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

bool WaitUnlessToldToEnd(const sigset_t& signals, int64_t ns) {
  const timespec time{.tv_sec = static_cast<time_t>(ns / 1'000'000'000),
                      .tv_nsec = static_cast<long>(ns % 1'000'000'000)};
  return sigtimedwait(&signals, nullptr, &time) < 0;
}

void PrintSummary(const GoodputSent& sent) {
  const GoodputSendProgress& p = sent.progress;
  fmt::print("Sent {} events: {} stored, {} there already{}.\n", p.events, p.stored, p.duplicates,
             p.refused > 0 ? fmt::format(", {} that the server could not read", p.refused) : "");
  for (const Note& note : sent.notes) {
    fmt::print(stderr, "stepscope: {} ({} times)\n", note.message, note.count);
  }
  if (!sent.whole) {
    fmt::print(stderr, "stepscope: stopped before all was sent; the rest is kept for next time\n");
  }
}

int Run(const SendFlags& flags) {
  GoodputSendOptions options = flags.options;
  options.patience = static_cast<int64_t>(flags.patience * 1e9);
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  options.wait = [&](int64_t ns) { return WaitUnlessToldToEnd(signals, ns); };
  const bool terminal = isatty(STDERR_FILENO) != 0;
  bool shown = false;
  options.on_progress = [&](const GoodputSendProgress& progress) {
    if (!terminal) return;
    fmt::print(stderr, "\r\033[K{} events sent", progress.events);
    std::fflush(stderr);
    shown = true;
  };
  const auto clear = [&] {
    if (std::exchange(shown, false)) fmt::print(stderr, "\r\033[K");
  };
  options.on_problem = [&](const std::string& sentence) {
    clear();
    fmt::print(stderr, "stepscope: {}\n", sentence);
  };
  const auto sent = GoodputSend(options);
  clear();
  if (!sent) return Fail(sent.error());
  PrintSummary(*sent);
  return sent->whole ? kDone : kCouldNot;
}

}  // namespace

void AddGoodputSend(CLI::App& goodput, Command& chosen) {
  auto flags = std::make_shared<SendFlags>();
  GoodputSendOptions& options = flags->options;
  CLI::App* command = goodput.add_subcommand("send", "Ship events to a server on another host");
  command->footer(kExamples);
  CLI::Option* store =
      command->add_option("--store", options.store, "A recorder's folder, or a ledger's")
          ->option_text("DIR");
  command->add_option("--events", options.files, "Files of events instead (.jsonl, .json, .gz)")
      ->type_name("FILE")
      ->excludes(store);
  command->add_option("--to", options.to, "Where 'stepscope goodput serve' listens")
      ->required()
      ->option_text("http[s]://HOST:PORT");
  AddTokenFlags(*command, flags->token, "What the server wants to hear");
  command->add_flag("--follow", options.follow, "Go on with what is added, until told to end");
  command->add_flag("--again", options.again, "Send all there is: the server has lost it");
  command
      ->add_option("--patience", flags->patience,
                   "Without --follow: give up when the server is silent for so long")
      ->check(CLI::Range(0.0, 1e6))
      ->option_text("SECONDS [60]");
  command->add_option("--cursor", options.cursor, "Where to keep how far it came")
      ->option_text("FILE");
  command->callback([flags, &chosen] { chosen = [flags] { return Run(*flags); }; });
}

}  // namespace stepscope::cli
