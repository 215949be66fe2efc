// Writes the events of a trace as lines, for tests that read files of events.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "trace/trace.h"

namespace stepscope::testing {

// "compute gemm 100+50 @0/7": kind, name, start and duration, place.
inline std::vector<std::string> EventLines(const Trace& trace) {
  std::vector<std::string> events;
  for (EventId e = 0; e < trace.size(); ++e) {
    const Track& track = trace.tracks[trace.tracks_of()[e]];
    events.push_back(fmt::format("{} {} {}+{} @{}", KindName(trace.kinds()[e]),
                                 trace.strings[trace.names()[e]], trace.starts()[e],
                                 trace.durations()[e],
                                 track.is_stream ? fmt::format("{}/{}", track.device, track.stream)
                                                 : track.process + ":" + track.thread));
  }
  return events;
}

}  // namespace stepscope::testing
