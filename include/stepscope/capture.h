// Captures traces of processes that run: what all doors share. Each door has its own header.
//
// A capture never fails because one process gives no trace: its outcome says why. It fails, with an
// Error, where nothing could be tried. Times are ns; moments are ns since 1970. Everything here is
// a plain value.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "stepscope/goodput_steps.h"
#include "stepscope/report.h"
#include "stepscope/result.h"

namespace stepscope {

// How much to record.
struct CaptureWindow {
  int64_t duration = 500'000'000;  // ns, of doors that count time
  int64_t iterations = 0;          // steps, of doors that count them; 0: `duration` counts
};

// A process that can be captured, or a server that speaks for one.
struct CaptureTarget {
  std::string door;     // "torch", "debug", "grpc" or "serving"
  std::string address;  // "pid 4711" or "host:8466"
  std::string host;     // empty: unknown
  int64_t pid = 0;      // 0: unknown
  int64_t rank = -1;    // -1: unknown, as the next one
  int64_t local_rank = -1;
  int64_t world_size = 0;    // 0: unknown
  std::string job, attempt;  // empty: unknown
  bool chosen = true;        // it is to be traced
  std::string reason;        // of a target that is not chosen: why, without a period
};

// What becomes of one target. Where a trace came, `reason` is empty.
struct CaptureOutcome {
  CaptureTarget target;
  std::string file;   // within the folder; empty: there is no trace; of several the last
  int64_t files = 0;  // snapshots each have their own
  int64_t bytes = 0;
  int64_t start = 0;   // when it was to begin, a moment; 0: unknown
  int64_t end = 0;     // when the trace was there, a moment; 0: unknown
  std::string reason;  // why there is no trace, without a period
};

struct CaptureProgress {
  std::string doing;  // "waiting for traces"
  size_t done = 0;    // traces that are there
  size_t all = 0;     // targets
};

struct CaptureOptions {
  CaptureWindow window;
  // The folder of the run; made if missing, and must be empty. Empty: a new folder in `kept`.
  std::string folder;
  // Where folders of runs without a name of their own are made; empty: CaptureHome(). Only these
  // are ever removed, the oldest first, and only beyond the limits below.
  std::string kept;
  int64_t keep_bytes = 10'000'000'000;  // of all runs in `kept`; also the most that one may have
  int64_t keep_runs = 20;
  bool dry_run = false;  // only list the targets: nothing is written, locked or sent
  std::function<void(const CaptureProgress&)> on_progress;
  std::function<bool()> cancelled;  // asked several times a second
};

struct CaptureResult {
  std::string folder;  // of the run; empty where none was made
  CaptureWindow window;
  int64_t start = 0;  // the common start, a moment; 0: there was none
  bool dry_run = false;
  bool cancelled = false;
  bool only_stacks = false;  // no traces were asked for: `file` of an outcome has stacks
  std::vector<CaptureOutcome> outcomes;  // of the chosen targets
  std::vector<CaptureTarget> others;     // found and not chosen
  std::vector<std::string> unknown;      // what is not known of this capture: whole sentences
  StepsAround steps;  // of the job, as it records them itself; without steps: not known
};

// $XDG_STATE_HOME/stepscope/captures, or ~/.local/state/stepscope/captures. Empty without a home.
std::string CaptureHome();

// The ordinary report: how many processes gave a trace, a row for each, and what is not known.
// Status: ok if all gave one, partial if not all did, unavailable if no process was found.
ReportSet ReportOfCapture(const CaptureResult& result);

// Of the outcomes, how many have a trace.
size_t TracesOf(const CaptureResult& result);

}  // namespace stepscope
