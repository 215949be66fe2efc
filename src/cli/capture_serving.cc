// stepscope capture serving: traces of inference servers.
#include "stepscope/capture_serving.h"

#include <memory>

#include "base/time_units.h"
#include "cli/capture.h"
#include "cli/server_flags.h"

namespace stepscope::cli {
namespace {

struct ServingFlags {
  explicit ServingFlags(CaptureUse use) : capture(use) {}

  CaptureFlags capture;
  ServingCaptureOptions options;
  TokenFlags token;
  double patience = 600;
};

int RunServing(const ServingFlags& flags) {
  auto token = TokenOf(flags.token);
  if (!token) return Fail(token.error());
  return RunCapture(flags.capture, [&](const CaptureOptions& capture) {
    ServingCaptureOptions options = flags.options;
    options.capture = capture;
    options.token = *token;
    options.patience = Nanoseconds(flags.patience);
    return CaptureServing(options);
  });
}

}  // namespace

void AddCaptureServing(Command& parent, CaptureUse use) {
  auto flags = std::make_shared<ServingFlags>(use);
  Command& command = parent.Sub("serving", "Capture traces of vLLM and SGLang servers");
  command.Argument("ADDRESS", flags->options.address, "The server, http://HOST:PORT");
  command.Take("--traces", flags->options.traces)
      .Value("DIR")
      .Help("Directory that the server writes to")
      .Default("out of reach");
  command.Take("--world-size", flags->options.world_size).Range(1, 100'000);
  command.Take("--patience", flags->patience)
      .Help("Time for the server to write its traces")
      .Default("10m")
      .Range(1, 86400);
  AddTokenFlags(command, flags->token);
  AddCaptureOptions(command, flags->capture, CountedSteps::kWithinTime);
  if (use == CaptureUse::kWatch) {
    command.Examples({{"an inference server, a second every ten minutes",
                       "stepscope watch serving http://localhost:8000 --for 1s -o watch/"}});
  } else {
    command.Examples({{"five seconds of a server on this machine",
                       "stepscope capture serving http://localhost:8000 --for 5s --traces "
                       "/mnt/traces -o run/"}});
  }
  command.Notes(
      "vLLM has the calls if it was started with VLLM_TORCH_PROFILER_DIR or a profiler\n"
      "configuration; SGLang writes to SGLANG_TORCH_PROFILER_DIR, or /tmp. The profile is stopped\n"
      "whatever happens, also on Ctrl-C.");
  command.Runs([flags] { return RunServing(*flags); });
}

}  // namespace stepscope::cli
