// stepscope capture: traces of processes that run.
#include "cli/capture.h"

#include "cli/root.h"

namespace stepscope::cli {

void AddCapture(Command& root) {
  Command& capture = root.Sub("capture", "Capture traces of a running job, from outside");
  capture.Examples({{"list the processes that can be traced", "stepscope capture torch --dry-run"},
                    {"trace all PyTorch processes of this machine, and report",
                     "stepscope capture torch --for 500ms -o run/ --analyze"}});
  AddCaptureTorch(capture);
  AddCaptureDaemon(capture);
  AddCaptureDebug(capture);
}

}  // namespace stepscope::cli
