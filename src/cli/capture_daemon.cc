// stepscope capture daemon: answers PyTorch processes for captures and for dyno's scripts.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/answer.h"
#include "cli/capture.h"
#include "cli/ending_signals.h"
#include "stepscope/capture_torch.h"

namespace stepscope::cli {
namespace {

int RunDaemon(const TorchDaemonOptions& given) {
  EndingSignals signals;
  TorchDaemonOptions options = given;
  options.stopped = [&] { return signals.Came(); };
  options.on_ready = [](int port) {
    fmt::print("Listening for dyno on 127.0.0.1:{}\n", port);
    std::fflush(stdout);
  };
  const auto done = TorchDaemon(options);
  return done ? kDone : Fail(done.error());
}

}  // namespace

void AddCaptureDaemon(Command& capture) {
  auto options = std::make_shared<TorchDaemonOptions>();
  Command& command = capture.Sub("daemon", "Answer PyTorch processes, for dyno's scripts");
  command.Take("--port", options->port)
      .Help("Port of dynolog's requests; 0 takes a free one")
      .Default("1778")
      .Range(0, 65535);
  command.Take("--socket-dir", options->socket_folder);
  command.Examples({{"let dyno gputrace work", "stepscope capture daemon"}});
  command.Notes(
      "It listens on loopback only, and captures processes of its own user. 'stepscope capture "
      "torch'\nasks it where it runs. SIGINT or SIGTERM ends it; the processes do not notice.");
  command.Runs([options] { return RunDaemon(*options); });
}

}  // namespace stepscope::cli
