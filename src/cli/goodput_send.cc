// stepscope goodput send: sends events to a server on another host.
#include "stepscope/goodput_send.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>

#include "base/time_units.h"
#include "cli/answer.h"
#include "cli/goodput.h"
#include "cli/server_flags.h"
#include "cli/terminal.h"

namespace stepscope::cli {
namespace {

struct SendFlags {
  GoodputSendOptions options;
  TokenFlags token;
  double patience = 60;
};

// Blocks the signals that end it, so that none interrupts a batch.
sigset_t EndingSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  return signals;
}

bool WaitUnlessEnded(const sigset_t& signals, int64_t ns) {
  const timespec time{.tv_sec = static_cast<time_t>(ns / kSecond),
                      .tv_nsec = static_cast<long>(ns % kSecond)};
  return sigtimedwait(&signals, nullptr, &time) < 0;
}

void PrintNotes(const GoodputSent& sent) {
  for (const Note& note : sent.notes) {
    Tell(fmt::format("{} ({} times)", note.message.str(), note.count));
  }
}

void PrintSummary(const GoodputSent& sent) {
  const GoodputSendProgress& p = sent.progress;
  fmt::print("Sent {} events: {} stored, {} already there{}.\n", p.events, p.stored, p.duplicates,
             p.refused > 0 ? fmt::format(", {} unreadable by the server", p.refused) : "");
  PrintNotes(sent);
  if (!sent.whole) {
    Tell("stopped; the remaining events are sent next time");
  }
}

int RunSend(const SendFlags& flags) {
  GoodputSendOptions options = flags.options;
  options.patience = Nanoseconds(flags.patience);
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  options.token = std::move(*token);
  const sigset_t signals = EndingSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  options.wait = [&](int64_t ns) { return WaitUnlessEnded(signals, ns); };
  const bool terminal = isatty(STDERR_FILENO) != 0;
  bool shown = false;
  options.on_progress = [&](const GoodputSendProgress& progress) {
    if (!terminal) return;
    ShowRaw(fmt::format("\r\033[K{} events sent", progress.events));
    shown = true;
  };
  const auto clear = [&] {
    if (std::exchange(shown, false)) ShowRaw("\r\033[K");
  };
  options.on_restart = [](const std::string& sentence) { Tell(sentence); };
  options.on_problem = [&](const std::string& sentence) {
    clear();
    Tell(sentence);
  };
  const auto sent = GoodputSend(options);
  clear();
  if (!sent) return Fail(sent.error());
  if (sent->empty && sent->whole && !options.follow) {
    PrintNotes(*sent);
    return Fail({"there are no events to send", fmt::format("{}", fmt::join(options.files, ", ")),
                 "give events of a job: JSON lines of a recorder or of ml-goodput-measurement"});
  }
  PrintSummary(*sent);
  return sent->whole ? kDone : kFailed;
}

}  // namespace

void AddGoodputSend(Command& goodput) {
  auto flags = std::make_shared<SendFlags>();
  GoodputSendOptions& options = flags->options;
  Command& command = goodput.Sub("send", "Send events to a server on another host");
  command.Argument("DIR", options.store, "Directory of a recorder or a ledger").Optional();
  command.Take("--events", options.files).Excludes("DIR");
  command.Take("--to", options.to).Required();
  AddTokenFlags(command, flags->token);
  command.Switch("--follow", options.follow);
  command.Switch("--again", options.again);
  command.Take("--patience", flags->patience).Range(0, 1e6);
  command.Take("--cursor", options.cursor);
  command.Examples({{"follow a recorder on this host",
                     "stepscope goodput send /var/lib/goodput --to http://10.0.0.1:9461 --follow"},
                    {"send a log once",
                     "stepscope goodput send --events job.jsonl.gz --to http://127.0.0.1:9461"}});
  command.Notes(
      "Events sent twice count once. The confirmed position is stored next to the events, so "
      "little\n"
      "is sent again after a kill. With --follow it retries without limit; SIGINT or SIGTERM ends "
      "it\n"
      "after the remaining events are sent.");
  command.Runs([flags] { return RunSend(*flags); });
}

}  // namespace stepscope::cli
