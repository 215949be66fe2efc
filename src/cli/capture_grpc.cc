// stepscope capture grpc: profiles of TensorFlow, JAX and PyTorch/XLA from their profiler servers.
#include "stepscope/capture_grpc.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "base/time_units.h"
#include "cli/capture.h"

namespace stepscope::cli {
namespace {

struct GrpcFlags {
  explicit GrpcFlags(CaptureUse use) : capture(use) {}

  CaptureFlags capture;
  GrpcCaptureOptions options;
  double delay = 0, patience = 10, snapshots = 0;
  bool monitor = false, stop = false;
  int level = 1;
  std::string master, repository;
};

// Prints what the servers answered; 2 if one did not.
int Print(const Result<std::vector<GrpcText>>& texts, const char* done) {
  if (!texts) return Fail(texts.error());
  int code = kDone;
  for (const GrpcText& text : *texts) {
    const bool said = text.reason.empty();
    if (texts->size() > 1 || !said || text.text.empty()) fmt::print("{}: ", text.server);
    fmt::print("{}\n", !said ? text.reason : text.text.empty() ? done : text.text);
    if (!said) code = kFailed;
  }
  return code;
}

// Asks again and again, as long as the servers answer.
int Monitor(const GrpcFlags& flags) {
  int code = kDone;
  while (code == kDone) {
    code = Print(MonitorGrpc(flags.options.servers, Nanoseconds(flags.capture.seconds), flags.level,
                             nullptr),
                 "nothing to report");
    std::fflush(stdout);
  }
  return code;
}

int NewSession(const GrpcFlags& flags) {
  GrpcCaptureOptions options = flags.options;
  options.capture.window.duration = Nanoseconds(flags.capture.seconds);
  const auto made = NewGrpcSession(flags.master, options, flags.repository);
  if (!made) return Fail(made.error());
  return Print(std::vector<GrpcText>{*made}, "the profile was written");
}

int RunGrpc(const GrpcFlags& flags) {
  if (flags.monitor) return Monitor(flags);
  if (flags.stop) return Print(StopGrpcSnapshots(flags.options.servers), "stopped");
  if (!flags.master.empty()) return NewSession(flags);
  return RunCapture(flags.capture, [&](const CaptureOptions& capture) {
    GrpcCaptureOptions options = flags.options;
    options.capture = capture;
    options.delay = Nanoseconds(flags.delay);
    options.patience = Nanoseconds(flags.patience);
    options.snapshot_every = Nanoseconds(flags.snapshots);
    return CaptureGrpc(options);
  });
}

void AddTracers(Command& command, GrpcFlags& flags) {
  command.Group("What is recorded");
  command.Take("--host-level", flags.options.host_level).Range(0, 3);
  command.Take("--device-level", flags.options.device_level).Range(0, 1);
  command.Take("--python-level", flags.options.python_level).Range(0, 1);
  command.Switch("--dataset-ops", flags.options.dataset_ops);
  command.Take("--delay", flags.delay).Range(0, 3600);
  command.Take("--patience", flags.patience)
      .Help("Time in which a busy server is asked again")
      .Default("10s")
      .Range(0, 3600);
}

void AddOtherCalls(Command& command, GrpcFlags& flags) {
  command.Group("Other calls");
  command.Take("--snapshot-every", flags.snapshots).Range(1, 3600);
  command.Switch("--stop-snapshots", flags.stop);
  command.Switch("--monitor", flags.monitor);
  command.Take("--level", flags.level).Range(1, 2).Needs("--monitor");
  command.Take("--master", flags.master).Needs("--repository");
  command.Take("--repository", flags.repository).Needs("--master");
}

}  // namespace

void AddCaptureGrpc(Command& parent, CaptureUse use) {
  auto flags = std::make_shared<GrpcFlags>(use);
  Command& command = parent.Sub("grpc", "Capture profiles of TensorFlow, JAX and PyTorch/XLA");
  command.Argument("ADDRESS", flags->options.servers.addresses,
                   "Profiler servers: HOST:PORT, all:PORT, or job:NAME");
  command.Take("--names", flags->options.servers.names);
  AddCaptureOptions(command, flags->capture, CountedSteps::kNone);
  AddTracers(command, *flags);
  if (use == CaptureUse::kOnce) AddOtherCalls(command, *flags);
  if (use == CaptureUse::kWatch) {
    command.Examples({{"two workers, a second every ten minutes",
                       "stepscope watch grpc worker-0:9012,worker-1:9012 --for 1s -o watch/"}});
  } else {
    command.Examples(
        {{"two seconds of two workers that start together",
          "stepscope capture grpc worker-0:9012,worker-1:9012 --for 2s -o run/"},
         {"all workers of a job, by the list in its environment",
          "stepscope capture grpc all:9012 --for 2s -o run/ --analyze"},
         {"everything for a minute, fetched every five seconds",
          "stepscope capture grpc localhost:9012 --for 1m --snapshot-every 5s -o run/"}});
  }
  command.Notes(
      "In the script: jax.profiler.start_server(9012), "
      "tf.profiler.experimental.server.start(9012),\n"
      "or xp.start_server(9012) of torch_xla.debug.profiler. Names of workers come from "
      "CLUSTER_SPEC,\n"
      "TF_CONFIG, TPU_WORKER_HOSTNAMES, SLURM_JOB_NODELIST or --names. A script that profiles "
      "itself\n"
      "meanwhile gets an error from its own profiler.");
  command.Runs([flags] { return RunGrpc(*flags); });
}

}  // namespace stepscope::cli
