// Lists the subcommands of `stepscope capture`, and adds the options that they share.
#pragma once

#include <functional>
#include <string>

#include "cli/answer.h"
#include "cli/command.h"
#include "stepscope/capture.h"

namespace stepscope::cli {

struct CaptureFlags {
  CaptureOptions options;
  double seconds = 0.5;
  OutputFlags output;
  bool open = false, analyze = false;
};

// -o, --for, --iterations if `counts_steps`, --dry-run, --analyze, --open, limits and format.
void AddCaptureOptions(Command& command, CaptureFlags& flags, bool counts_steps);

// Runs a capture: progress on the terminal, SIGINT and SIGTERM end it early, the report is printed,
// and the run is analyzed or opened if asked. Returns the exit code: 2 if no trace came.
int RunCapture(const CaptureFlags& flags,
               const std::function<Result<CaptureResult>(const CaptureOptions&)>& capture);

// One for each door.
void AddCaptureTorch(Command& capture);
void AddCaptureDaemon(Command& capture);
void AddCaptureDebug(Command& capture);

}  // namespace stepscope::cli
