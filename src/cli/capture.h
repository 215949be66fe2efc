// Lists the subcommands of `stepscope capture`, and adds the options that they share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cli/answer.h"
#include "cli/command.h"
#include "stepscope/capture.h"

namespace stepscope::cli {

// A capture of a door, once.
using CaptureOnce = std::function<Result<CaptureResult>(const CaptureOptions&)>;

// What `stepscope watch` adds.
struct WatchFlags {
  double every = 600;   // seconds
  int64_t windows = 0;  // 0: until a signal
  std::string metrics, job;
};

// The same doors serve `stepscope capture` and `stepscope watch`.
enum class CaptureUse : uint8_t { kOnce, kWatch };

struct CaptureFlags {
  explicit CaptureFlags(CaptureUse use = CaptureUse::kOnce) {
    if (use == CaptureUse::kWatch) watch.emplace();
  }

  CaptureOptions options;
  double seconds = 0.5;
  OutputFlags output;
  bool open = false, analyze = false;
  std::string goodput;  // the recorder's directory of the job
  std::optional<WatchFlags> watch;
};

// Whether a door records steps: never, instead of a time, or at most a time's.
enum class CountedSteps : uint8_t { kNone, kInsteadOfTime, kWithinTime };

// -o, --for, --iterations if it records steps, --dry-run, --analyze, --open, limits and format.
void AddCaptureOptions(Command& command, CaptureFlags& flags, CountedSteps steps);

// Runs a capture: progress on the terminal, SIGINT and SIGTERM end it early, the report is printed,
// and the run is analyzed or opened if asked. Returns the exit code: 2 if no trace came.
int RunCapture(const CaptureFlags& flags, const CaptureOnce& capture);

// The options of a watch, and its loop; RunCapture() calls it where there are flags for it.
void AddWatchOptions(Command& command, WatchFlags& watch);
int RunWatch(const CaptureFlags& flags, const WatchFlags& watch, const CaptureOnce& capture);

// One for each door.
void AddCaptureTorch(Command& parent, CaptureUse use);
void AddCaptureDaemon(Command& capture);
void AddCaptureDebug(Command& parent, CaptureUse use);
void AddCaptureGrpc(Command& parent, CaptureUse use);
void AddCaptureServing(Command& parent, CaptureUse use);

}  // namespace stepscope::cli
