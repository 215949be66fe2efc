// Reads the files of a run in parallel, derives the activities of each trace, and assigns
// ranks.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "ingest/discover.h"
#include "ingest/places.h"
#include "redact/redactor.h"
#include "stepscope/rank_trace.h"
#include "stepscope/report.h"
#include "stepscope/session.h"
#include "timeline/recording.h"
#include "trace/trace.h"

namespace stepscope {

struct LoadedRun {
  RunInfo info;
  StringTable names;                // of Activity::name
  std::vector<RankActivity> ranks;  // by rank, then window
  // Of each of `ranks`, its file in info.files. Absent: no recording, but a memory timeline of a
  // rank of which nothing else was read.
  std::vector<std::optional<size_t>> files;
  std::vector<RankTrace> sources;  // as Session::Traces()
  std::vector<size_t> parts;       // of each of info.files: which of the recordings in it
  // With OpenOptions::keep_traces: of each of `ranks` what was read of it.
  std::vector<std::shared_ptr<const Trace>> traces;
  // With OpenOptions::keep_events: the events of each of `ranks`, and the names they share.
  std::vector<RecordedEvents> events;
  StringTable event_names;
  Places places;  // of the files, which may be read again
  // Of files whose operators have their inputs from an execution trace, the path of that.
  std::map<std::string, std::string> execution_traces;
  // With OpenOptions::redact: what has been replaced in all of the above but `info`, whose paths
  // lead to the files.
  std::optional<redact::Redactor> redactor;
  int threads = 0;       // as OpenOptions::threads
  std::string captured;  // as FoundTraces::captured
};

// Finds the traces of these paths, reads them and names the run. Fails as FindTraces() and
// LoadRun() do, and when stopped.
Result<LoadedRun> LoadPaths(std::span<const std::string> paths, Wanted keep,
                            const OpenOptions& options);

// Reads these files. `keep` is what the analyses to come need. Fails when no file could be read;
// files that could not are listed in `info` with their problem.
Result<LoadedRun> LoadRun(const FoundTraces& found, Wanted keep, const OpenOptions& options);

// Opens a file of a run once more. Fails where it has been replaced or written to since it was
// read: what is read now would be of another recording than the reports.
Result<ByteSource> OpenAgain(const InputFile& file, const Places& places,
                             std::atomic<int64_t>* bytes_read, ReadFailure* failure);

}  // namespace stepscope
