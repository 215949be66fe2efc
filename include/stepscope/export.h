// Writes the traces of a run again, with what was found out about them, for a viewer.
//
//   auto written = stepscope::Export({"traces/"}, {.folder = "out", .counters = true});
//   if (!written) return Print(written.error());
//   std::fputs(stepscope::ToText(*written).c_str(), stdout);
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "stepscope/session.h"

namespace stepscope {

enum class ExportFormat : uint8_t {
  // A file for each trace, "rank_3.json.gz": the events as they stood in the file, with all
  // their arguments, on the rank's own clock. For Perfetto and chrome://tracing.
  kChrome,
  // One file for all, "run.pftrace.gz": every rank on one axis of time, its clock aligned with the
  // others' by their common collectives. For Perfetto.
  kPerfetto,
  // A file for each trace, "run.3.et": an execution trace of MLCommons Chakra, for simulators; µs
  // on the rank's own clock.
  kChakra,
};

// Which counters are added.
enum class CounterSeries : uint8_t { kBoth, kQueue, kBandwidth };

// What the critical path is of: as parameters of the analysis critical_path.
struct PathRegion {
  std::string annotation;      // empty: each rank's complete step of median length
  int64_t instance = 0;        // which range of that name, by start, from 0
  int64_t last_instance = -1;  // the region ends with this one; -1: with `instance`
  // Of host and device activities write only those on the path; annotations, Python's frames,
  // memory and counters stay. Only as kChrome.
  bool only_critical = false;
};

// Kernel sequences whose events are marked: args.Patterns, with the sequence and how often it
// occurs. Only as kChrome.
struct ExportPatterns {
  std::string operator_name;  // part of the name of operators or annotations; empty: no patterns
  int64_t min_length = 3;     // in kernels
  int64_t top = 5;            // the most frequent ones of each trace
};

struct ExportOptions {
  std::string folder;  // is made if need be; files of the same names are replaced
  ExportFormat format = ExportFormat::kChrome;
  std::string steps = "all";   // as in AnalyzeOptions; events that reach into them are kept whole
  std::vector<int64_t> ranks;  // only these; empty: all
  bool counters = false;       // add each stream's queue length and each kind of copy's bandwidth
  CounterSeries counter_series = CounterSeries::kBoth;
  // Add each rank's critical path, and mark what is on it: args.critical, but not as kPerfetto.
  bool critical_path = false;
  PathRegion path;
  ExportPatterns patterns;
  int threads = 0;  // to read with; 0: one per processor
  // Replace what is private, as in OpenOptions; the answer names files as they are.
  std::optional<RedactOptions> redact = {};
  int64_t max_input = 0;         // as in OpenOptions
  StorageRef storage = nullptr;  // of traces, as in OpenOptions
  std::function<void(const Progress&)> on_progress;
};

// Reads the traces of one run and writes them to `options.folder`: each file under another name
// first, then synced and renamed. The answer holds one report, "export", whose table `files` says
// what was written. Fails when nothing can be read or a file cannot be written; a trace that cannot
// be read is among the notes.
Result<ReportSet> Export(std::span<const std::string> paths, const ExportOptions& options);

}  // namespace stepscope
