// stepscope capture: traces of processes that run.
#include "cli/capture.h"

#include "cli/root.h"

namespace stepscope::cli {

void AddCapture(Command& root) {
  Command& capture = root.Sub("capture", "Capture traces of a running job, from outside");
  capture.Examples({{"list the processes that can be traced", "stepscope capture torch --dry-run"},
                    {"trace all PyTorch processes of this machine, and report",
                     "stepscope capture torch --for 500ms -o run/ --analyze"},
                    {"profile two JAX or TensorFlow processes that run a profiler server",
                     "stepscope capture grpc worker-0:9012,worker-1:9012 --for 2s -o run/"}});
  AddCaptureTorch(capture, CaptureUse::kOnce);
  AddCaptureDaemon(capture);
  AddCaptureDebug(capture, CaptureUse::kOnce);
  AddCaptureGrpc(capture, CaptureUse::kOnce);
  AddCaptureServing(capture, CaptureUse::kOnce);
}

}  // namespace stepscope::cli
