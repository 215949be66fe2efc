// Reads one file of a run, from its bytes to the activities in it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/string_table.h"
#include "facts/activity/rank_activity.h"
#include "ingest/places.h"
#include "ingest/trace_reader.h"
#include "redact/redactor.h"
#include "session/execution_traces.h"
#include "stepscope/rank_trace.h"
#include "stepscope/report.h"
#include "timeline/recording.h"
#include "trace/notes.h"
#include "trace/trace.h"

namespace stepscope {

// One file, from its bytes to the activities in it.
struct LoadedFile {
  InputFile info;
  Error error;  // when info.problem is set and the file is not used
  // Why a file in a storage was used up to a place in it alone: another try may read all of it.
  std::optional<Error> cut;
  Notes notes;
  std::vector<Note> more_notes;  // of kinds that only the file's format has
  RankActivity rank;
  RankTrace source;                    // of a partial
  RecordedEvents events;               // if they are to be kept
  std::shared_ptr<const Trace> trace;  // if it is to be kept
  // Names of the activities and events until they are merged; a trace that is kept has them.
  StringTable strings;
  std::optional<int64_t> own_rank;  // as the trace says
  std::optional<int64_t> world_size;
  std::string process;  // its number, where the trace has threads of one process alone
  bool used = false;
  bool memory_only = false;       // no recording, but a memory timeline that accompanies one
  size_t part = 0;                // which of the recordings in its file
  std::vector<LoadedFile> parts;  // further recordings in the same file

  const StringTable& names() const { return trace ? trace->strings : strings; }
};

// How a file is to be read.
struct LoadOptions {
  ReadOptions read;
  bool keep_events = false;
  bool keep_trace = false;  // not together with the events
  const redact::Redactor* redactor = nullptr;
  ExecutionTraces* execution_traces = nullptr;  // beside the files, read
  Places places;
  std::stop_token stop;
};

// What reading fails with when it was stopped.
Error ReadingWasCanceled();

// Reads the file `file.info.path` into `file`, and what else it holds into its parts. What goes
// wrong becomes its problem and a note. `bytes_read` counts up meanwhile.
void LoadFile(LoadedFile& file, const LoadOptions& options, std::atomic<int64_t>& bytes_read);

}  // namespace stepscope
