// Captures PyTorch processes that were started with KINETO_USE_DAEMON=1, without a change to their
// script: libkineto in each asks a socket of this machine every 5 s whether to record.
//
//   auto result = stepscope::CaptureTorch({.capture = {.window = {.duration = 500'000'000}}});
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope {

struct TorchCaptureOptions {
  CaptureOptions capture;
  // Which processes: these, or those of this job, or, without either, all of one launcher.
  std::vector<int64_t> pids;
  std::string job;
  // KINETO_IPC_SOCKET_DIR of the processes; empty: the abstract socket.
  std::string socket_folder;
  bool shapes = false;  // record the shapes of inputs
  bool stacks = false;  // record Python stacks, which costs the job most
  bool memory = false;  // refused: on PyTorch 2.15 it leaves a thread that spins on a core
};

// Returns when every chosen process has given its trace or said, or shown, why not: about 10 s
// longer than the window. Fails if nothing could be tried: there is no such process, the choice is
// not clear, another daemon has the socket, or the folder cannot be made.
Result<CaptureResult> CaptureTorch(const TorchCaptureOptions& options);

struct TorchDaemonOptions {
  std::string socket_folder;  // as above
  int port = 1778;            // of dynolog's requests, on loopback only; 0: any that is free
  std::function<void(int port)> on_ready;
  std::function<bool()> stopped;  // asked several times a second
};

// Answers libkineto in every PyTorch process of this user until it is stopped, and takes requests:
// of CaptureTorch(), and of scripts that talk to dynolog (`dyno gputrace`). Fails if another
// program has a socket or the port.
Result<void> TorchDaemon(const TorchDaemonOptions& options);

}  // namespace stepscope
