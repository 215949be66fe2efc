// Captures PyTorch jobs that started its debug server
// (torch.distributed.debug.start_debug_server()): a trace, the collectives of the Flight Recorder
// and the stacks of all ranks at one time, over HTTP.
#pragma once

#include <string>
#include <vector>

#include "stepscope/capture.h"
#include "stepscope/result.h"

namespace stepscope {

struct DebugCaptureOptions {
  CaptureOptions capture;  // its window has a duration alone
  // Servers of ranks: "host:port", "http://host:port", or the path of a Unix socket
  // (TORCH_WORKER_SERVER_SOCKET). The order is that of ranks where a server does not tell its own.
  std::vector<std::string> addresses;
  std::string store;    // "host:port" of the job's TCPStore, which has all addresses; or empty
  bool profile = true;  // false: stacks and Flight Recorder alone, which cost the job nothing
};

// Asks all ranks at once. The trace is asked for once: two at a time end a rank, so one that did
// not answer is never profiled again while it lives. Fails if there is no address, or the store
// does not answer.
Result<CaptureResult> CaptureDebug(const DebugCaptureOptions& options);

}  // namespace stepscope
