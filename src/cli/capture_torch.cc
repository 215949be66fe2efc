// stepscope capture torch: traces of PyTorch processes that were started with KINETO_USE_DAEMON=1.
#include "stepscope/capture_torch.h"

#include <memory>

#include "cli/capture.h"

namespace stepscope::cli {
namespace {

struct TorchFlags {
  explicit TorchFlags(CaptureUse use) : capture(use) {}

  CaptureFlags capture;
  TorchCaptureOptions options;
};

int RunTorch(const TorchFlags& flags) {
  return RunCapture(flags.capture, [&](const CaptureOptions& capture) {
    TorchCaptureOptions options = flags.options;
    options.capture = capture;
    return CaptureTorch(options);
  });
}

}  // namespace

void AddCaptureTorch(Command& parent, CaptureUse use) {
  auto flags = std::make_shared<TorchFlags>(use);
  Command& command = parent.Sub("torch", "Trace PyTorch processes of this machine");
  command.Take("--pid", flags->options.pids);
  command.Take("--job", flags->options.job).Help("Job to trace, by its name or its Slurm id");
  command.Take("--socket-dir", flags->options.socket_folder);
  command.Switch("--shapes", flags->options.shapes);
  command.Switch("--stacks", flags->options.stacks);
  command.Switch("--memory", flags->options.memory);
  AddCaptureOptions(command, flags->capture, CountedSteps::kInsteadOfTime);
  if (use == CaptureUse::kWatch) {
    command.Examples({{"five steps of each process, every ten minutes",
                       "stepscope watch torch --iterations 5 --every 10m -o watch/"}});
  } else {
    command.Examples({{"list processes, and why each would be traced or not",
                       "stepscope capture torch --dry-run"},
                      {"trace the one job of this machine", "stepscope capture torch -o run/"},
                      {"five steps of two processes",
                       "stepscope capture torch --pid 4711,4712 --iterations 5 -o run/"}});
  }
  command.Notes(
      "Start the job with KINETO_USE_DAEMON=1 in its environment; its script stays as it is.\n"
      "A trace takes about 10 s longer than the time it records.");
  command.Runs([flags] { return RunTorch(*flags); });
}

}  // namespace stepscope::cli
