// What every trace must hold, whatever its bytes are: for fuzz targets of readers.
#pragma once

#include <functional>
#include <string_view>

#include "ingest/trace_reader.h"
#include "tests/fuzz/require.h"

namespace stepscope {

inline void CheckEvents(const Trace& trace) {
  for (EventId e = 0; e < trace.size(); ++e) {
    Require(trace.tracks_of()[e] < trace.tracks.size());
    Require(trace.names()[e] < trace.strings.size());
    Require(trace.durations()[e] >= 0);
  }
}

// All recordings of a file; now and then, that the last one reads alone as with the others.
inline void CheckRecordings(std::string_view bytes) {
  const auto traces = ReadRecordings(ByteSource::FromMemory(bytes));
  if (!traces) return Require(!traces.error().what.empty());
  Require(!traces->empty());
  for (const Recording& recording : *traces) CheckEvents(recording.trace);
  // Not by the size: that of a database is always a multiple of 512.
  if (std::hash<std::string_view>()(bytes) % 8 != 0) return;
  const auto last = ReadTrace(ByteSource::FromMemory(bytes), {.part = traces->size() - 1});
  Require(last && last->size() == traces->back().trace.size());
}

}  // namespace stepscope
