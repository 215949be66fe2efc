// Builds small traces for the tests of facts: times are nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace stepscope {

struct SampleTrace {
  // Work on a stream; `correlation` 0: nothing launched it.
  void Activity(std::string_view name, int64_t start, int64_t end, int64_t correlation = 0,
                int64_t stream = 7, Kind kind = Kind::kCompute, int64_t device = 0) {
    trace.Add({start, end - start, trace.strings.Intern(name), StreamTrack(device, stream), kind});
    if (correlation != 0) trace.Set(IntField::kCorrelation, correlation);
  }
  // A call of the runtime.
  void Call(std::string_view name, int64_t start, int64_t correlation) {
    trace.Add({start, 1, trace.strings.Intern(name), HostTrack(), Kind::kRuntime});
    trace.Set(IntField::kCorrelation, correlation);
  }
  void Call(std::string_view name, int64_t start, int64_t correlation, int64_t end,
            int64_t thread = 0) {
    trace.Add({start, end - start, trace.strings.Intern(name), HostTrack(thread), Kind::kRuntime});
    trace.Set(IntField::kCorrelation, correlation);
  }
  // An operator or annotation.
  void Range(std::string_view name, int64_t start, int64_t end, Kind kind = Kind::kOperator,
             int64_t thread = 0) {
    trace.Add({start, end - start, trace.strings.Intern(name), HostTrack(thread), kind});
  }
  // A record of a synchronization, of the call with that correlation.
  void Sync(std::string_view name, int64_t start, int64_t end, int64_t correlation, int64_t stream,
            int64_t wait_stream, int64_t wait_correlation) {
    const TrackId track = StreamTrack(0, stream);
    trace.Add({start, end - start, trace.strings.Intern(name), track, Kind::kSync});
    trace.Set(IntField::kCorrelation, correlation);
    trace.Set(IntField::kWaitStream, wait_stream);
    trace.Set(IntField::kWaitCorrelation, wait_correlation);
  }
  void Launch(int64_t start, int64_t correlation) { Call("cudaLaunchKernel", start, correlation); }
  void Step(int64_t number, int64_t start, int64_t end, Kind kind = Kind::kAnnotation) {
    const std::string name = "ProfilerStep#" + std::to_string(number);
    trace.Add({start, end - start, trace.strings.Intern(name), HostTrack(), kind});
    if (kind == Kind::kAnnotation) trace.Set(IntField::kStep, number);
  }

  TrackId StreamTrack(int64_t device, int64_t stream) {
    for (TrackId t = 0; t < trace.tracks.size(); ++t) {
      const Track& track = trace.tracks[t];
      if (track.is_stream && track.device == device && track.stream == stream) return t;
    }
    trace.tracks.push_back({.is_stream = true, .device = device, .stream = stream});
    return static_cast<TrackId>(trace.tracks.size() - 1);
  }
  // The host's threads count from 0.
  TrackId HostTrack(int64_t thread = 0) {
    const std::string id = std::to_string(thread + 1);
    for (TrackId t = 0; t < trace.tracks.size(); ++t) {
      if (!trace.tracks[t].is_stream && trace.tracks[t].thread == id) return t;
    }
    trace.tracks.push_back({.process = "1", .thread = id});
    return static_cast<TrackId>(trace.tracks.size() - 1);
  }

  Trace trace;
};

}  // namespace stepscope
